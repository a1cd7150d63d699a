package planner

import (
	"strconv"
	"time"

	vtrpcpb "vitess.io/vitess/go/vt/proto/vtrpc"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/planner/engine"
)

// migrationCommand sends a statement about migrations or the throttler to all shards of the selected keyspace.
func (b *builder) migrationCommand(sql string, notPrimary error) (planned, error) {
	p, err := b.pc.selected("")
	if err != nil {
		return planned{}, err
	}
	if err := b.pc.requirePrimary(notPrimary); err != nil {
		return planned{}, err
	}
	return planned{primitive: p.send(sql, false)}, nil
}

func (b *builder) alterMigration(sql string, stmt *sqlparser.AlterMigration) (planned, error) {
	switch stmt.Type {
	case sqlparser.ThrottleMigrationType, sqlparser.ThrottleAllMigrationType,
		sqlparser.UnthrottleMigrationType, sqlparser.UnthrottleAllMigrationType:
		if err := checkThrottle(stmt); err != nil {
			return planned{}, err
		}
		return planned{}, vterrors.VT12001("throttling of migrations")
	}
	return b.migrationCommand(sql, vterrors.VT09006("ALTER"))
}

// checkThrottle refuses what no EXPIRE and RATIO can be, in Vitess's words.
func checkThrottle(stmt *sqlparser.AlterMigration) error {
	if stmt.Expire != "" {
		if d, err := time.ParseDuration(stmt.Expire); err != nil || d < 0 {
			return vterrors.Errorf(vtrpcpb.Code_INVALID_ARGUMENT,
				"invalid EXPIRE value: %s. Try '120s', '30m', '1h', etc. Allowed units are (s)ec, (m)in, (h)hour", stmt.Expire)
		}
	}
	if stmt.Ratio != nil {
		if r, err := strconv.ParseFloat(stmt.Ratio.Val, 64); err != nil || r < 0 || r > 1 {
			return vterrors.Errorf(vtrpcpb.Code_INVALID_ARGUMENT,
				"invalid RATIO value: %s. Try any decimal number between '0.0' (no throttle) and `1.0` (fully throttled)", stmt.Ratio.Val)
		}
	}
	return nil
}

func (b *builder) revertMigration(sql string, stmt *sqlparser.RevertMigration) (planned, error) {
	out, err := b.migrationCommand(sql, vterrors.VT09006("REVERT"))
	if err != nil {
		return planned{}, err
	}
	send := out.primitive.(*engine.Send)
	return planned{primitive: &engine.RevertMigration{
		Keyspace: send.Keyspace, TargetDestination: send.TargetDestination, Stmt: stmt, Query: sql,
	}}, nil
}
