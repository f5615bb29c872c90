// Package lint finds what a policy file says but cannot mean: entries that match
// nothing, limits that limit nothing, rules that hold always or never. It also
// writes the older form of a policy in the current one ([Migrate]).
//
// Findings quote keys and names of the policy, so they are for those who may
// read it. A finding claims only what the policy's text proves, whatever calls
// come; so much that is unwise is not found.
package lint
