// Command ask asks a running demo a few questions over the MySQL protocol and
// fails when an answer is not the expected one. Part of .ci/run.
package main

import (
	"database/sql"
	"fmt"
	"os"

	_ "github.com/go-sql-driver/mysql"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: ask HOST:PORT")
		os.Exit(2)
	}
	if err := ask(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func ask(address string) error {
	db, err := sql.Open("mysql", "root@tcp("+address+")/customer?interpolateParams=true")
	if err != nil {
		return err
	}
	defer db.Close()
	for _, q := range []struct{ query, want string }{
		{"select count(*) from customer", "12"},
		{"select name from customer where customer_id = 1", "Alice"},
		{"select count(*) from corder o join customer c on o.customer_id = c.customer_id", "9"},
		{"select description from commerce.product where sku = 'SKU-1002'", "Keyboard"},
	} {
		var got string
		if err := db.QueryRow(q.query).Scan(&got); err != nil {
			return fmt.Errorf("%s: %w", q.query, err)
		}
		if got != q.want {
			return fmt.Errorf("%s: got %s, want %s", q.query, got, q.want)
		}
		fmt.Printf("%s: %s\n", q.query, got)
	}
	return nil
}
