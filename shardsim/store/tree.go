package store

import (
	"slices"
	"strings"
	"sync/atomic"
)

// tree is an ordered map of memcomparable keys: a B+-tree whose forks share nodes.
//
//	branch       [  g     p  ]       children[i] holds the keys below entries[i] and from entries[i-1] on
//	            /    |     \
//	leaf      a c   g k    p r z     entries have values
//
// A node is changed in place by the tree that made it, and copied by any other. Each entry has the eight bytes
// after the prefix that all keys of its node share: a search compares those, and looks at a key itself only where they are equal.
// The zero value is an empty tree. One goroutine may change a tree while others read its forks, not the tree itself.
type tree[V any] struct {
	root *treeNode[V]
	len  int
	id   uint64 // of the nodes this tree may change
}

type treeNode[V any] struct {
	id       uint64
	skip     int      // all keys share their first skip bytes
	prefix   uint64   // the first eight of those, zeros behind them
	heads    []uint64 // of the entries' keys
	entries  []treeEntry[V]
	children []*treeNode[V] // of a branch: one more than entries
}

type treeEntry[V any] struct {
	key string
	val V // of a leaf
}

// nodeKeys is how many keys a node has at most, and nodeRoom how many fit in while it is split.
const (
	nodeKeys = 31
	nodeRoom = nodeKeys + 1
)

// lastTree gives trees ids that no other one has.
var lastTree atomic.Uint64

// fork returns a tree with the same entries. The receiver must not be changed afterwards.
func (t *tree[V]) fork() tree[V] {
	return tree[V]{root: t.root, len: t.len, id: lastTree.Add(1)}
}

// Len returns the number of entries.
func (t *tree[V]) Len() int { return t.len }

// Get returns the value of a key.
func (t *tree[V]) Get(key string) (V, bool) {
	var none V
	n := t.root
	if n == nil {
		return none, false
	}
	for n.children != nil {
		n = n.children[n.child(key)]
	}
	if i, ok := n.find(key); ok {
		return n.entries[i].val, true
	}
	return none, false
}

// Scan calls f with all entries in order until it returns false.
func (t *tree[V]) Scan(f func(key string, v V) bool) {
	var c treeCursor[V]
	for ok := c.first(t); ok; ok = c.next() {
		if !f(c.key(), c.value()) {
			return
		}
	}
}

// headOf returns the eight bytes of a key behind its first skip ones, zeros where it ends.
func headOf(key string, skip int) uint64 {
	if skip >= len(key) {
		return 0
	}
	k := key[skip:]
	if len(k) >= 8 {
		return uint64(k[0])<<56 | uint64(k[1])<<48 | uint64(k[2])<<40 | uint64(k[3])<<32 |
			uint64(k[4])<<24 | uint64(k[5])<<16 | uint64(k[6])<<8 | uint64(k[7])
	}
	var h uint64
	for i := range len(k) {
		h |= uint64(k[i]) << (56 - 8*i)
	}
	return h
}

// prefixOf returns the first skip bytes of a key, of at most eight.
func prefixOf(key string, skip int) uint64 {
	if skip >= 8 {
		return headOf(key, 0)
	}
	return headOf(key, 0) &^ (1<<(64-8*skip) - 1)
}

// common returns how many bytes two keys share at their beginning.
func common(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// find returns the position of the first key that is not below key, and whether it is key.
func (n *treeNode[V]) find(key string) (int, bool) {
	if len(n.entries) == 0 {
		return 0, false
	}
	if at := n.outside(key); at != 0 {
		if at < 0 {
			return 0, false
		}
		return len(n.entries), false
	}
	h := headOf(key, n.skip)
	low, high := 0, len(n.entries)
	for low < high {
		mid := int(uint(low+high) >> 1)
		if n.heads[mid] < h || n.heads[mid] == h && n.compareTail(mid, key) < 0 {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low, low < len(n.entries) && n.heads[low] == h && n.compareTail(low, key) == 0
}

// compareTail compares the node's key with one of the same head. Where nothing is behind the heads their lengths tell,
// and the key need not be fetched from memory.
func (n *treeNode[V]) compareTail(i int, key string) int {
	own := n.entries[i].key
	if end := n.skip + 8; len(own) <= end && len(key) <= end {
		return len(own) - len(key)
	}
	return strings.Compare(own, key)
}

// outside compares the key's beginning with the one the node's keys share.
func (n *treeNode[V]) outside(key string) int {
	if n.skip == 0 {
		return 0
	}
	if n.skip <= 8 && len(key) >= n.skip {
		p := prefixOf(key, n.skip)
		switch {
		case p < n.prefix:
			return -1
		case p > n.prefix:
			return 1
		}
		return 0
	}
	return strings.Compare(key[:min(n.skip, len(key))], n.entries[0].key[:n.skip])
}

// child returns the position of the child that a key belongs to.
func (n *treeNode[V]) child(key string) int {
	i, found := n.find(key)
	if found {
		i++
	}
	return i
}

// index makes prefix and heads anew.
func (n *treeNode[V]) index() {
	n.skip, n.prefix = 0, 0
	if len(n.entries) > 0 {
		n.narrow(common(n.entries[0].key, n.entries[len(n.entries)-1].key))
	}
}

// narrow sets how many bytes the keys share.
func (n *treeNode[V]) narrow(skip int) {
	n.skip, n.prefix = skip, prefixOf(n.entries[0].key, skip)
	n.heads = slices.Grow(n.heads[:0], len(n.entries))[:len(n.entries)]
	for i := range n.entries {
		n.heads[i] = headOf(n.entries[i].key, skip)
	}
}

// add inserts an entry.
func (n *treeNode[V]) add(i int, key string, v V) {
	n.entries = slices.Insert(n.entries, i, treeEntry[V]{key, v})
	if len(n.entries) == 1 {
		n.narrow(len(key))
		return
	}
	other := n.entries[0].key
	if i == 0 {
		other = n.entries[1].key
	}
	if shared := common(key, other); shared < n.skip {
		n.narrow(shared)
		return
	}
	n.heads = slices.Insert(n.heads, i, headOf(key, n.skip))
}

func (n *treeNode[V]) addSeparator(i int, key string) {
	var none V
	n.add(i, key, none)
}

func (n *treeNode[V]) drop(i int) {
	n.heads = slices.Delete(n.heads, i, i+1)
	n.entries = slices.Delete(n.entries, i, i+1)
}

// roomyNode is a node that has the heads it may come to have beside it: a search goes from the one to the other.
type roomyNode[V any] struct {
	treeNode[V]
	room [nodeRoom]uint64
}

// newNode returns a node for about n entries.
func (t *tree[V]) newNode(n int) *treeNode[V] {
	if n < nodeKeys/2 {
		return &treeNode[V]{id: t.id}
	}
	roomy := &roomyNode[V]{}
	roomy.id, roomy.heads = t.id, roomy.room[:0]
	return &roomy.treeNode
}

// own returns the node, or a copy of it, as one the tree may change.
func (t *tree[V]) own(n *treeNode[V]) *treeNode[V] {
	if n.id == t.id {
		return n
	}
	c := t.newNode(len(n.entries))
	c.skip, c.prefix = n.skip, n.prefix
	c.heads = append(c.heads, n.heads...)
	c.entries = append(make([]treeEntry[V], 0, min(len(n.entries)+1, nodeRoom)), n.entries...)
	if n.children != nil {
		c.children = append(make([]*treeNode[V], 0, len(n.children)+1), n.children...)
	}
	return c
}

// Set adds an entry, or replaces the value of a key.
func (t *tree[V]) Set(key string, v V) {
	if t.id == 0 {
		t.id = lastTree.Add(1)
	}
	if t.root == nil {
		t.root = t.newNode(0)
	}
	left, right, separator := t.set(t.root, key, v)
	t.root = left
	if right != nil {
		t.root = t.newNode(0)
		t.root.children = []*treeNode[V]{left, right}
		t.root.addSeparator(0, separator)
	}
}

// set changes the node or a copy of it, which it returns. If that is too large it returns its upper part too, with the
// lowest key of that.
func (t *tree[V]) set(n *treeNode[V], key string, v V) (self, right *treeNode[V], separator string) {
	n = t.own(n)
	if n.children == nil {
		i, found := n.find(key)
		if found {
			n.entries[i].val = v
			return n, nil, ""
		}
		n.add(i, key, v)
		t.len++
		return t.split(n, i)
	}
	i := n.child(key)
	child, above, low := t.set(n.children[i], key, v)
	n.children[i] = child
	if above == nil {
		return n, nil, ""
	}
	n.addSeparator(i, low)
	n.children = slices.Insert(n.children, i+1, above)
	return t.split(n, i)
}

// split cuts a node that is too large in two: in the middle, or, where it grew at its end, there. Keys often come in
// ascending order, and leave full nodes behind.
func (t *tree[V]) split(n *treeNode[V], grown int) (self, right *treeNode[V], separator string) {
	if len(n.entries) <= nodeKeys {
		return n, nil, ""
	}
	at := len(n.entries) / 2
	if grown == len(n.entries)-1 {
		at = grown
	}
	right = t.newNode(nodeKeys)
	from := at // the first entry of the upper part
	if n.children != nil {
		// The separator goes up.
		at = min(at, len(n.entries)-2)
		from = at + 1
		right.children = append(make([]*treeNode[V], 0, nodeRoom+1), n.children[from:]...)
		clear(n.children[from:])
		n.children = n.children[:from]
	}
	separator = n.entries[at].key
	right.entries = append(make([]treeEntry[V], 0, nodeRoom), n.entries[from:]...)
	clear(n.entries[at:])
	n.entries, n.heads = n.entries[:at], n.heads[:at]
	n.index()
	right.index()
	return n, right, separator
}

// Delete removes a key, if it is there.
func (t *tree[V]) Delete(key string) {
	if _, ok := t.Get(key); !ok {
		return
	}
	t.len--
	t.root = t.remove(t.root, key)
	for len(t.root.children) == 1 {
		t.root = t.root.children[0]
	}
}

// remove takes a key that is there out of the node or a copy of it, which it returns.
func (t *tree[V]) remove(n *treeNode[V], key string) *treeNode[V] {
	n = t.own(n)
	if n.children == nil {
		i, _ := n.find(key)
		n.drop(i)
		return n
	}
	i := n.child(key)
	n.children[i] = t.remove(n.children[i], key)
	if len(n.children[i].entries) < nodeKeys/4 {
		t.join(n, max(i-1, 0))
	}
	return n
}

// join makes one node of two neighbours if that leaves room.
func (t *tree[V]) join(n *treeNode[V], i int) {
	if i+1 >= len(n.children) || len(n.children[i].entries)+len(n.children[i+1].entries) > nodeKeys*3/4 {
		return
	}
	left, right := t.own(n.children[i]), n.children[i+1]
	if left.children != nil {
		left.entries = append(left.entries, n.entries[i])
		left.children = append(left.children, right.children...)
	}
	left.entries = append(left.entries, right.entries...)
	left.index()
	n.children[i] = left
	n.children = slices.Delete(n.children, i+1, i+2)
	n.drop(i)
}
