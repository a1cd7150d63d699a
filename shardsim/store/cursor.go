package store

// treeCursor stands at an entry of a tree, which must not be changed meanwhile. It knows its leaf, and finds the next one
// from the root: there is one search for each nodeKeys entries.
type treeCursor[V any] struct {
	root, leaf *treeNode[V]
	at         int
	low, high  string // the separators around the leaf, empty at the tree's ends
}

func (c *treeCursor[V]) key() string { return c.leaf.entries[c.at].key }
func (c *treeCursor[V]) value() V    { return c.leaf.entries[c.at].val }

// descend goes to the leaf choose leads to.
func (c *treeCursor[V]) descend(choose func(*treeNode[V]) int) {
	c.low, c.high = "", ""
	n := c.root
	for n.children != nil {
		i := choose(n)
		if i > 0 {
			c.low = n.entries[i-1].key
		}
		if i < len(n.entries) {
			c.high = n.entries[i].key
		}
		n = n.children[i]
	}
	c.leaf = n
}

// seek goes to the first entry whose key is not below key.
func (c *treeCursor[V]) seek(t *tree[V], key string) bool {
	if c.root = t.root; c.root == nil {
		return false
	}
	c.descend(func(n *treeNode[V]) int { return n.child(key) })
	c.at, _ = c.leaf.find(key)
	return c.forward()
}

// first goes to the first entry.
func (c *treeCursor[V]) first(t *tree[V]) bool {
	if c.root = t.root; c.root == nil {
		return false
	}
	c.descend(func(*treeNode[V]) int { return 0 })
	c.at = 0
	return c.forward()
}

// seekBelow goes to the last entry whose key is below key, or to the last one of all if key is empty.
func (c *treeCursor[V]) seekBelow(t *tree[V], key string) bool {
	if c.root = t.root; c.root == nil {
		return false
	}
	if key == "" {
		c.descend(func(n *treeNode[V]) int { return len(n.entries) })
		c.at = len(c.leaf.entries) - 1
	} else {
		c.descendBelow(key)
		i, _ := c.leaf.find(key)
		c.at = i - 1
	}
	return c.backward()
}

// descendBelow goes to the leaf of the keys right below key.
func (c *treeCursor[V]) descendBelow(key string) {
	c.descend(func(n *treeNode[V]) int {
		i, _ := n.find(key)
		return i
	})
}

func (c *treeCursor[V]) next() bool {
	c.at++
	return c.forward()
}

func (c *treeCursor[V]) prev() bool {
	c.at--
	return c.backward()
}

// forward goes on to the next leaf while the position is behind the leaf's entries.
func (c *treeCursor[V]) forward() bool {
	for c.at >= len(c.leaf.entries) {
		if c.high == "" {
			return false
		}
		key := c.high
		c.descend(func(n *treeNode[V]) int { return n.child(key) })
		c.at = 0
	}
	return true
}

// backward goes back to the leaf before while the position is before the leaf's entries.
func (c *treeCursor[V]) backward() bool {
	for c.at < 0 {
		if c.low == "" {
			return false
		}
		c.descendBelow(c.low)
		c.at = len(c.leaf.entries) - 1
	}
	return true
}

// near returns the value of a key, which is looked for in the leaf of the call before first: neighbours are often read
// one after the other.
func (c *treeCursor[V]) near(t *tree[V], key string) (V, bool) {
	if c.leaf == nil || key < c.low || c.high != "" && key >= c.high {
		if c.root = t.root; c.root == nil {
			var none V
			return none, false
		}
		c.descend(func(n *treeNode[V]) int { return n.child(key) })
	}
	i, ok := c.leaf.find(key)
	if !ok {
		var none V
		return none, false
	}
	return c.leaf.entries[i].val, true
}

// cursor walks the rows or an index.
type cursor struct {
	rowTree *tree[Record]
	keyTree *tree[string] // nil: the rows
	rows    treeCursor[Record]
	keys    treeCursor[string]
	key     string
	ok      bool
}

func (c *cursor) open(rows *tree[Record], indexes []tree[string], index int) {
	c.rowTree = rows
	if index != Primary {
		c.keyTree = &indexes[index]
	}
}

func (c *cursor) pk() string {
	if c.keyTree == nil {
		return c.key
	}
	return c.keys.value()
}

// start moves to the first key of the range, or its last one if reverse.
func (c *cursor) start(r Range, reverse bool) {
	switch {
	case c.keyTree == nil && reverse:
		c.ok = c.rows.seekBelow(c.rowTree, r.High)
	case c.keyTree == nil:
		c.ok = c.rows.seek(c.rowTree, r.Low)
	case reverse:
		c.ok = c.keys.seekBelow(c.keyTree, r.High)
	default:
		c.ok = c.keys.seek(c.keyTree, r.Low)
	}
	c.check(r)
}

func (c *cursor) advance(r Range, reverse bool) {
	switch {
	case c.keyTree == nil && reverse:
		c.ok = c.rows.prev()
	case c.keyTree == nil:
		c.ok = c.rows.next()
	case reverse:
		c.ok = c.keys.prev()
	default:
		c.ok = c.keys.next()
	}
	c.check(r)
}

func (c *cursor) check(r Range) {
	if !c.ok {
		return
	}
	if c.keyTree == nil {
		c.key = c.rows.key()
	} else {
		c.key = c.keys.key()
	}
	c.ok = r.contains(c.key)
}
