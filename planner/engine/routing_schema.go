package engine

import (
	"context"

	"vitess.io/vitess/go/sqltypes"
	querypb "vitess.io/vitess/go/vt/proto/query"
	vtrpcpb "vitess.io/vitess/go/vt/proto/vtrpc"
	"vitess.io/vitess/go/vt/sqlparser"
	"vitess.io/vitess/go/vt/vterrors"

	"github.com/vitrodb/vitro/vindexes/key"
)

// findSchema routes a query of system tables: to any shard of the keyspace its predicates name, directly or by a table
// in it, else of the default one. A shard's database is named as its keyspace, so the schema's name needs no replacing.
func (rp *RoutingParameters) findSchema(ctx context.Context, env *Env, bindVars BindVars) ([]Shard, []BindVars, error) {
	schema, err := rp.namedSchema(ctx, env, bindVars)
	if err != nil {
		return nil, nil, err
	}
	vars := copyVars(bindVars, 1+len(rp.SysTableTableName))
	if len(rp.SysTableTableSchema) > 0 {
		vars[sqltypes.BvSchemaName] = sqltypes.StringBindVariable(schema)
	}
	keyspace := rp.Keyspace.Name
	if schema != "" && !sqlparser.SystemSchema(schema) {
		keyspace = schema
	}
	routed, err := rp.namedTables(ctx, env, bindVars, schema, vars)
	if err != nil {
		return nil, nil, err
	}
	if routed != "" {
		keyspace = routed
		if schema != "" {
			vars[sqltypes.BvSchemaName] = sqltypes.StringBindVariable(routed)
		}
	}
	shards, err := rp.anyShardOf(ctx, env, keyspace)
	return shards, []BindVars{vars}, err
}

// anyShardOf returns one shard of a keyspace, or of the default one if there is no such keyspace.
func (rp *RoutingParameters) anyShardOf(ctx context.Context, env *Env, keyspace string) ([]Shard, error) {
	shards, _, err := env.Shards.Resolve(ctx, keyspace, []key.Destination{key.DestinationAnyShard{}})
	if err != nil && keyspace != rp.Keyspace.Name {
		shards, _, err = env.Shards.Resolve(ctx, rp.Keyspace.Name, []key.Destination{key.DestinationAnyShard{}})
	}
	if err != nil {
		return nil, vterrors.Wrapf(err, "failed to find information about keyspace `%s`", keyspace)
	}
	return shards, nil
}

// namedSchema evaluates the schemas the predicates name; two different ones can not be answered by one shard.
func (rp *RoutingParameters) namedSchema(ctx context.Context, env *Env, bindVars BindVars) (string, error) {
	schema := ""
	for i, expr := range rp.SysTableTableSchema {
		value, err := env.evaluate(ctx, bindVars, expr)
		if err != nil {
			return "", err
		}
		if i > 0 && schema != value.ToString() {
			return "", vterrors.Errorf(vtrpcpb.Code_UNIMPLEMENTED,
				"specifying two different database in the query is not supported")
		}
		schema = value.ToString()
	}
	return schema, nil
}

// namedTables follows routing rules for the tables the predicates name: it fills their bind variables and returns the
// keyspace they are in, "" where none is known.
func (rp *RoutingParameters) namedTables(ctx context.Context, env *Env, bindVars BindVars, schema string, vars BindVars) (string, error) {
	keyspace := ""
	for _, variable := range sortedNames(rp.SysTableTableName) {
		value, err := env.evaluate(ctx, bindVars, rp.SysTableTableName[variable])
		if err != nil {
			return "", err
		}
		name, found := value.ToString(), ""
		if env.Tables != nil && !sqlparser.SystemSchema(schema) {
			if table, err := env.Tables.FindTable(schema, name); err == nil && table != nil {
				name, found = table.Name.String(), table.Keyspace.Name
			}
		}
		vars[variable] = &querypb.BindVariable{Type: sqltypes.VarChar, Value: []byte(name)}
		if found == "" {
			continue
		}
		if keyspace != "" && keyspace != found {
			return "", vterrors.Errorf(vtrpcpb.Code_UNIMPLEMENTED,
				"cannot send the query to multiple keyspace due to different table_name: %s, %s", keyspace, found)
		}
		keyspace = found
	}
	return keyspace, nil
}
