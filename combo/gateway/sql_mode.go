package gateway

import (
	"slices"
	"strings"

	vtrpcpb "vitess.io/vitess/go/vt/proto/vtrpc"
	"vitess.io/vitess/go/vt/vterrors"
)

// sqlModes are MySQL 8.4's. Those with false change how statements are read, which the gateway does before shards do, so
// they are refused, as in Vitess.
var sqlModes = map[string]bool{
	"ALLOW_INVALID_DATES": true, "ANSI": false, "ANSI_QUOTES": false, "ERROR_FOR_DIVISION_BY_ZERO": true,
	"HIGH_NOT_PRECEDENCE": true, "IGNORE_SPACE": true, "NO_AUTO_VALUE_ON_ZERO": true, "NO_BACKSLASH_ESCAPES": false,
	"NO_DIR_IN_CREATE": true, "NO_ENGINE_SUBSTITUTION": true, "NO_UNSIGNED_SUBTRACTION": true, "NO_ZERO_DATE": true,
	"NO_ZERO_IN_DATE": true, "ONLY_FULL_GROUP_BY": true, "PAD_CHAR_TO_FULL_LENGTH": true, "PIPES_AS_CONCAT": false,
	"REAL_AS_FLOAT": false, "STRICT_ALL_TABLES": true, "STRICT_TRANS_TABLES": true, "TIME_TRUNCATE_FRACTIONAL": true,
	"TRADITIONAL": true,
}

// traditional is what TRADITIONAL stands for.
var traditional = []string{
	"STRICT_TRANS_TABLES", "STRICT_ALL_TABLES", "NO_ZERO_IN_DATE", "NO_ZERO_DATE", "ERROR_FOR_DIVISION_BY_ZERO",
	"TRADITIONAL", "NO_ENGINE_SUBSTITUTION",
}

// checkSQLMode reads a list of modes as MySQL does and returns it as it is kept: each mode once, in upper case.
// Modes that MySQL 8 dropped (NO_AUTO_CREATE_USER) are left out, as clients still send them.
func checkSQLMode(text string) (string, error) {
	var modes []string
	add := func(mode string) {
		if !slices.Contains(modes, mode) {
			modes = append(modes, mode)
		}
	}
	for part := range strings.SplitSeq(text, ",") {
		mode := strings.ToUpper(strings.TrimSpace(part))
		supported, known := sqlModes[mode]
		switch {
		case mode == "" || mode == "NO_AUTO_CREATE_USER":
		case !known:
			return "", vterrors.NewErrorf(vtrpcpb.Code_INVALID_ARGUMENT, vterrors.WrongValueForVar,
				"Variable 'sql_mode' can't be set to the value of '%s'", part)
		case !supported:
			return "", vterrors.Errorf(vtrpcpb.Code_UNIMPLEMENTED, "setting the %s sql_mode is unsupported", mode)
		case mode == "TRADITIONAL":
			for _, m := range traditional {
				add(m)
			}
		default:
			add(mode)
		}
	}
	return strings.Join(modes, ","), nil
}
