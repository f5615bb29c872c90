package policydoc

import (
	"encoding/json"
	"hash/maphash"
)

// Value returns the node as plain data: nil, bool, json.Number, string, []any
// or map[string]any. Each call makes it anew, aliases expanded.
func (n *Node) Value() any { return n.value((*Node).Value) }

// value makes the plain data of n with what of makes of the nodes that it holds.
func (n *Node) value(of func(*Node) any) any {
	switch n.Kind {
	case Bool:
		return n.Bool
	case Number:
		return json.Number(n.Text)
	case String:
		return n.Text
	case List:
		list := make([]any, len(n.Items))
		for i, item := range n.Items {
			list[i] = of(item)
		}
		return list
	case Map:
		m := make(map[string]any, len(n.Members))
		for _, member := range n.Members {
			m[member.Key] = of(member.Value)
		}
		return m
	}
	return nil
}

// Values makes the plain data of the nodes of one document, for those who only
// read it: equal small lists and mappings, of which policies hold many, are
// made once and stand in every place. The zero value is ready to use.
type Values struct {
	seed maphash.Seed
	made map[uint64]made
}

// made is a value with the node that it was made of.
type made struct {
	node  *Node
	value any
}

// Of returns what [Node.Value] does.
func (v *Values) Of(n *Node) any {
	const small = 16 // nodes
	if n.Kind != List && n.Kind != Map {
		return n.value(nil)
	}
	if v.made == nil {
		v.seed, v.made = maphash.MakeSeed(), make(map[uint64]made)
	}
	room := small
	sum := v.sum(n, &room)
	if room < 0 {
		return n.value(v.Of)
	}
	known, ok := v.made[sum]
	if ok && known.node.equal(n) {
		return known.value
	}
	value := n.value(v.Of)
	if !ok {
		v.made[sum] = made{n, value}
	}
	return value
}

// sum returns a number that equal nodes have in common. It uses up room, one
// for each node, and means nothing when that is negative.
func (v *Values) sum(n *Node, room *int) uint64 {
	const prime = 0x9E3779B97F4A7C15
	sum := uint64(n.Kind)
	if n.Bool {
		sum += 100
	}
	if *room--; *room < 0 {
		return 0
	}
	if n.Text != "" {
		sum += maphash.String(v.seed, n.Text)
	}
	for _, item := range n.Items {
		if *room < 0 {
			return 0
		}
		sum = sum*prime + v.sum(item, room)
	}
	for i := range n.Members {
		if *room < 0 {
			return 0
		}
		m := &n.Members[i]
		sum = (sum*prime+maphash.String(v.seed, m.Key))*prime + v.sum(m.Value, room)
	}
	return sum ^ sum>>32
}

// equal reports whether two nodes have the same value, with the members of
// mappings in the same order.
func (n *Node) equal(other *Node) bool {
	if n == other {
		return true
	}
	if n.Kind != other.Kind || n.Bool != other.Bool || n.Text != other.Text ||
		len(n.Items) != len(other.Items) || len(n.Members) != len(other.Members) {
		return false
	}
	for i, item := range n.Items {
		if !item.equal(other.Items[i]) {
			return false
		}
	}
	for i := range n.Members {
		if n.Members[i].Key != other.Members[i].Key || !n.Members[i].Value.equal(other.Members[i].Value) {
			return false
		}
	}
	return true
}
