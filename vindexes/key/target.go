package key

import (
	"encoding/hex"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	topodatapb "vitess.io/vitess/go/vt/proto/topodata"
	vtrpcpb "vitess.io/vitess/go/vt/proto/vtrpc"
	"vitess.io/vitess/go/vt/vterrors"
)

// Target is what a target string names: a keyspace, perhaps a destination in
// it, a tablet type, perhaps one tablet.
type Target struct {
	Keyspace    string                // empty: none was named
	TabletType  topodatapb.TabletType // UNKNOWN: the text after @ is no tablet type
	Destination Destination           // nil: the planner chooses
	Alias       *TabletAlias          // nil: any tablet of the type; set only with a Destination
}

// TabletAlias names one tablet: its cell and its number there.
type TabletAlias struct {
	Cell string
	UID  uint32
}

const tabletAliasFormat = `^(?P<cell>[-_.a-zA-Z0-9]+)-(?P<uid>[0-9]+)$`

var tabletAliasPattern = regexp.MustCompile(tabletAliasFormat)

// String prints the alias with its ten digits, as in zone1-0000000100.
func (a TabletAlias) String() string {
	return fmt.Sprintf("%s-%010d", a.Cell, a.UID)
}

// ParseTabletAlias reads an alias such as zone1-0000000100 or zone1-100.
func ParseTabletAlias(text string) (TabletAlias, error) {
	parts := tabletAliasPattern.FindStringSubmatch(text)
	if parts == nil {
		return TabletAlias{}, fmt.Errorf("invalid tablet alias: '%s', expecting format: '%s'", text, tabletAliasFormat)
	}
	uid, err := strconv.ParseUint(parts[2], 10, 32)
	if err != nil {
		return TabletAlias{}, fmt.Errorf("invalid tablet uid in alias '%s': bad tablet uid: %w", text, err)
	}
	return TabletAlias{Cell: parts[1], UID: uint32(uid)}, nil
}

// ParseTabletType reads a tablet type in any case, "master" and "batch" too.
func ParseTabletType(text string) (topodatapb.TabletType, error) {
	number, ok := topodatapb.TabletType_value[strings.ToUpper(text)]
	if !ok {
		return topodatapb.TabletType_UNKNOWN, fmt.Errorf("unknown TabletType %v", text)
	}
	return topodatapb.TabletType(number), nil
}

// TabletTypeName is the tablet type in lower case, as it stands after an @.
func TabletTypeName(tabletType topodatapb.TabletType) string {
	switch tabletType {
	case topodatapb.TabletType_PRIMARY: // shares its number with MASTER
		return "primary"
	case topodatapb.TabletType_RDONLY: // shares its number with BATCH
		return "rdonly"
	}
	if name, ok := topodatapb.TabletType_name[int32(tabletType)]; ok {
		return strings.ToLower(name)
	}
	return "unknown"
}

// ParseTarget reads a target string: keyspace, then :shard or /shard or
// [range] or [keyspace id], then @tablet_type, then |alias. Each part may be
// missing; the tablet type is then deflt. Where brackets and a shard are both
// given, the later written in this order wins: the brackets.
func ParseTarget(text string, deflt topodatapb.TabletType) (Target, error) {
	target := Target{TabletType: deflt}
	rest := text
	if at := strings.LastIndexByte(rest, '@'); at >= 0 {
		if err := target.parseTablet(rest[at+1:]); err != nil {
			return Target{TabletType: deflt}, err
		}
		rest = rest[:at]
	}
	if sep := strings.LastIndexAny(rest, "/:"); sep >= 0 {
		target.Destination = DestinationShard(rest[sep+1:])
		rest = rest[:sep]
	}
	if open := strings.LastIndexByte(rest, '['); open >= 0 {
		closing := strings.LastIndexByte(rest, ']')
		if closing < open {
			return Target{TabletType: target.TabletType},
				vterrors.Errorf(vtrpcpb.Code_INVALID_ARGUMENT, "invalid key range provided. Couldn't find range end ']'")
		}
		dest, err := parseBrackets(rest[open+1 : closing])
		if err != nil {
			return Target{TabletType: target.TabletType}, err
		}
		target.Destination = dest
		rest = rest[:open]
	}
	if target.Alias != nil && target.Destination == nil {
		return Target{TabletType: deflt},
			vterrors.Errorf(vtrpcpb.Code_INVALID_ARGUMENT, "tablet alias must be used with a shard")
	}
	target.Keyspace = rest
	return target, nil
}

// parseTablet reads what stands after the @: a type, perhaps |alias. A type
// alone that is not known becomes UNKNOWN; beside an alias it is an error.
func (t *Target) parseTablet(text string) error {
	if text == "" {
		return vterrors.Errorf(vtrpcpb.Code_INVALID_ARGUMENT, "empty tablet type after @")
	}
	typeText, aliasText, hasAlias := strings.Cut(text, "|")
	tabletType, err := ParseTabletType(typeText)
	if !hasAlias {
		t.TabletType = tabletType
		return nil
	}
	if err != nil || tabletType == topodatapb.TabletType_UNKNOWN {
		return vterrors.Errorf(vtrpcpb.Code_INVALID_ARGUMENT, "invalid tablet type in target: %s", typeText)
	}
	alias, err := ParseTabletAlias(aliasText)
	if err != nil {
		return vterrors.Errorf(vtrpcpb.Code_INVALID_ARGUMENT, "invalid tablet alias in target: %s", aliasText)
	}
	t.TabletType, t.Alias = tabletType, &alias
	return nil
}

// parseBrackets reads what stands in []: a range if there is a dash, else one
// keyspace id in hex.
func parseBrackets(text string) (Destination, error) {
	if !strings.Contains(text, "-") {
		ksid, err := hex.DecodeString(text)
		if err != nil {
			return nil, vterrors.Errorf(vtrpcpb.Code_INVALID_ARGUMENT, "expected valid hex in keyspace id %s", text)
		}
		return DestinationKeyspaceID(ksid), nil
	}
	ranges, err := ParseShardingSpec(text)
	if err != nil {
		return nil, err
	}
	if len(ranges) != 1 {
		return nil, vterrors.Errorf(vtrpcpb.Code_INVALID_ARGUMENT, "single keyrange expected in %s", text)
	}
	return DestinationExactKeyRange{KeyRange: ranges[0]}, nil
}
