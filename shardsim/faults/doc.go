// Package faults makes statements on simulated shards fail, wait or be lost by rule, so that error paths can be tested.
//
//	rules := faults.New()
//	rules.Add(faults.Rule{Shard: "80-", SQL: "(?i)^update", After: 2, Err: faults.Lost})
//	shardsim.New(shardsim.Config{Faults: rules})
//
// A statement is matched against the rules in the order they were added; the first rule that applies decides. What it is
// not: a source of chance. The same statements meet the same faults.
package faults
