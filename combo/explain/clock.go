package explain

import (
	"sync"
	"time"
)

// clock counts batches: calls that arrive while a batch is open, an interval long, belong to it.
type clock struct {
	interval time.Duration

	mu   sync.Mutex
	now  int
	open chan struct{} // closed when the open batch ends; nil for none
}

func newClock(interval time.Duration) *clock { return &clock{interval: interval} }

// wait returns the number of the batch, from 1, once it is over.
func (c *clock) wait() int {
	c.mu.Lock()
	if c.open == nil {
		c.now++
		batch := make(chan struct{})
		c.open = batch
		time.AfterFunc(c.interval, func() {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.open = nil
			close(batch)
		})
	}
	now, batch := c.now, c.open
	c.mu.Unlock()
	<-batch
	return now
}
