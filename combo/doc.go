// Package combo is a whole cluster in one process, and the fixture that Go
// tests start one with. It is the only place that joins the parts: shards,
// topology, VSchema, gateway and MySQL listener.
//
//	Config --Start--> read and check all input   (load.go, layout.go)
//	                    make shards and topology (start.go)
//	                    run the schema files     (script.go, apply.go)
//	                    open the listener        (last: nothing is half started)
//	                  = *Cluster: DSN, Addr, Close
//
// A test needs no more than this:
//
//	cluster, err := combo.Start(ctx, combo.Config{SchemaDir: "testdata/schema"})
//	defer cluster.Close()
//	db, err := sql.Open("mysql", cluster.DSN("shop"))
//
// The zero Config is the demo: keyspaces commerce and customer with some rows,
// in demo/. Start reading at config.go.
package combo
