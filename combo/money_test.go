package combo_test

import (
	"context"
	"database/sql"
	"errors"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/vitrodb/vitro/combo"
)

const (
	moneyClients   = 16
	moneyTransfers = 10_000
	moneyAccounts  = 200
	moneyEach      = 1000
)

// TestMoneyIsConserved lets clients move money between accounts on four shards, in transactions that lock in any order. Each
// transfer is read, computed by the client and written back under FOR UPDATE or as one relative UPDATE; some are rolled back.
// No update may be lost, and the sum must stay.
func TestMoneyIsConserved(t *testing.T) {
	var values []string
	for id := range moneyAccounts {
		values = append(values, "("+strconv.Itoa(id)+", "+strconv.Itoa(moneyEach)+", 0)")
	}
	_, db := start(t, combo.Config{Keyspaces: []combo.Keyspace{{
		Name: "bank", Shards: 4,
		Schema: []string{"CREATE TABLE account (id BIGINT PRIMARY KEY, balance BIGINT NOT NULL, moves BIGINT NOT NULL)"},
		VSchema: `{"sharded": true, "vindexes": {"xxhash": {"type": "xxhash"}},
			"tables": {"account": {"column_vindexes": [{"column": "id", "name": "xxhash"}]}}}`,
	}}}, "bank")
	_, err := db.Exec("INSERT INTO account VALUES " + strings.Join(values, ", "))
	require.NoError(t, err)

	var committed, retried atomic.Int64
	var clients sync.WaitGroup
	failures := make(chan error, moneyClients)
	for client := range moneyClients {
		clients.Go(func() {
			random := rand.New(rand.NewPCG(uint64(client), 1))
			for n := 0; n < moneyTransfers/moneyClients; {
				moved, err := transfer(db, random)
				switch {
				case isRetriable(err):
					retried.Add(1)
				case err != nil:
					failures <- err
					return
				default:
					n++
					if moved {
						committed.Add(1)
					}
				}
			}
		})
	}
	clients.Wait()
	close(failures)
	for err := range failures {
		t.Fatal(err)
	}
	var sum, moves int64
	require.NoError(t, db.QueryRow("SELECT SUM(balance), SUM(moves) FROM account").Scan(&sum, &moves))
	require.EqualValues(t, moneyAccounts*moneyEach, sum, "the sum of all money")
	require.Equal(t, 2*committed.Load(), moves, "a committed update is lost, or a rolled back one stayed")
	t.Logf("%d transfers committed, %d rolled back, %d deadlocks retried", committed.Load(), moneyTransfers-committed.Load(), retried.Load())
}

// isRetriable tells whether a transaction was the victim of a deadlock or waited too long.
func isRetriable(err error) bool {
	var my *mysql.MySQLError
	return errors.As(err, &my) && (my.Number == 1213 || my.Number == 1205)
}

// transfer moves money between two accounts, and reports whether it was committed.
func transfer(db *sql.DB, random *rand.Rand) (bool, error) {
	from, to := random.IntN(moneyAccounts), random.IntN(moneyAccounts)
	amount := 1 + random.IntN(10)
	tx, err := db.BeginTx(context.Background(), nil)
	if err != nil {
		return false, err
	}
	move := moveRelative
	if random.IntN(2) == 0 {
		move = moveComputed
	}
	for _, step := range []struct{ id, by int }{{from, -amount}, {to, amount}} {
		if err := move(tx, step.id, step.by); err != nil {
			_ = tx.Rollback() // the server may have done it
			return false, err
		}
	}
	if random.IntN(10) == 0 {
		return false, tx.Rollback()
	}
	return true, tx.Commit()
}

func moveRelative(tx *sql.Tx, id, by int) error {
	_, err := tx.Exec("UPDATE account SET balance = balance + ?, moves = moves + 1 WHERE id = ?", by, id)
	return err
}

func moveComputed(tx *sql.Tx, id, by int) error {
	var balance, moves int64
	if err := tx.QueryRow("SELECT balance, moves FROM account WHERE id = ? FOR UPDATE", id).Scan(&balance, &moves); err != nil {
		return err
	}
	_, err := tx.Exec("UPDATE account SET balance = ?, moves = ? WHERE id = ?", balance+int64(by), moves+1, id)
	return err
}
