package gateway

// variableKind is how a variable's value is seen by clients.
type variableKind int

const (
	textKind   variableKind = iota
	numberKind              // integers and decimals
	switchKind              // ON and OFF, 1 and 0 in expressions
	nullKind
)

// variableUse is what setting a variable does.
type variableUse int

const (
	// sessionUse keeps the value for the session to see; nothing depends on it, or the gateway itself does.
	sessionUse variableUse = iota
	// shardUse also tells the shards, whose answers depend on it.
	shardUse
	// readOnlyUse refuses to be set.
	readOnlyUse
)

// variableDef is a system variable's default and nature.
type variableDef struct {
	text string
	kind variableKind
	use  variableUse
	// global: sessions have no value of their own unless they set one.
	global bool
}

// sqlModeDefault is MySQL 8's.
const sqlModeDefault = "ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION"

func text(v string) variableDef     { return variableDef{text: v} }
func number(v string) variableDef   { return variableDef{text: v, kind: numberKind} }
func toggle(on bool) variableDef    { return variableDef{text: onOff(on), kind: switchKind} }
func readOnly(v string) variableDef { return fixed(text(v)) }

// toShards marks a variable that shards must know.
func toShards(def variableDef) variableDef {
	def.use = shardUse
	return def
}

// fixed marks a variable that can not be set.
func fixed(def variableDef) variableDef {
	def.use = readOnlyUse
	return shared(def)
}

// shared marks a variable that MySQL has for the whole server alone.
func shared(def variableDef) variableDef {
	def.global = true
	return def
}

// systemVariables are the variables the gateway answers for, with MySQL 8.4's defaults. It is never changed.
var systemVariables = map[string]variableDef{
	// What shards' answers depend on.
	"sql_mode":                toShards(text(sqlModeDefault)),
	"time_zone":               toShards(text("SYSTEM")),
	"foreign_key_checks":      toShards(toggle(true)),
	"unique_checks":           toShards(toggle(true)),
	"group_concat_max_len":    toShards(number("1024")),
	"cte_max_recursion_depth": toShards(number("1000")),
	"div_precision_increment": toShards(number("4")),
	"default_week_format":     toShards(number("0")),
	"lc_time_names":           toShards(text("en_US")),

	"innodb_lock_wait_timeout": toShards(number("50")),
	"lock_wait_timeout":        toShards(number("31536000")),

	// What the gateway itself acts on.
	"autocommit":               toggle(true),
	"sql_select_limit":         number("18446744073709551615"),
	"transaction_isolation":    text("REPEATABLE-READ"),
	"tx_isolation":             text("REPEATABLE-READ"),
	"transaction_read_only":    toggle(false),
	"tx_read_only":             toggle(false),
	"transaction_mode":         text("MULTI"),
	"client_found_rows":        toggle(false),
	"skip_query_plan_cache":    toggle(false),
	"enable_system_settings":   toggle(true),
	"ddl_strategy":             text("direct"),
	"migration_context":        text(""),
	"workload":                 text("OLTP"),
	"session_uuid":             text(""),
	"read_after_write_gtid":    text(""),
	"read_after_write_timeout": number("0"),
	"query_timeout":            number("0"),
	"transaction_timeout":      number("0"),
	"charset":                  text("utf8mb4"),
	"names":                    text("utf8mb4"),
	"collation_connection":     text("utf8mb4_0900_ai_ci"),
	"character_set_client":     text("utf8mb4"),
	"character_set_connection": text("utf8mb4"),
	"character_set_results":    text("utf8mb4"),
	"character_set_database":   text("utf8mb4"),
	"character_set_server":     text("utf8mb4"),
	"collation_database":       text("utf8mb4_0900_ai_ci"),
	"collation_server":         text("utf8mb4_0900_ai_ci"),

	// What is kept and shown only.
	"auto_increment_increment":        number("1"),
	"auto_increment_offset":           number("1"),
	"big_tables":                      toggle(false),
	"binlog_format":                   text("ROW"),
	"binlog_row_image":                text("FULL"),
	"block_encryption_mode":           text("aes-128-ecb"),
	"bulk_insert_buffer_size":         number("8388608"),
	"character_set_filesystem":        text("binary"),
	"completion_type":                 text("NO_CHAIN"),
	"connect_timeout":                 shared(number("10")),
	"default_collation_for_utf8mb4":   text("utf8mb4_0900_ai_ci"),
	"default_storage_engine":          text("InnoDB"),
	"default_tmp_storage_engine":      text("InnoDB"),
	"end_markers_in_json":             toggle(false),
	"eq_range_index_dive_limit":       number("200"),
	"event_scheduler":                 shared(text("OFF")),
	"explicit_defaults_for_timestamp": toggle(true),
	"identity":                        number("0"),
	"information_schema_stats_expiry": number("86400"),
	"init_connect":                    shared(text("")),
	"innodb_strict_mode":              toggle(true),
	"innodb_support_xa":               toggle(true),
	"innodb_table_locks":              toggle(true),
	"innodb_tmpdir":                   text(""),
	"insert_id":                       number("0"),
	"interactive_timeout":             number("28800"),
	"join_buffer_size":                number("262144"),
	"keep_files_on_create":            toggle(false),
	"last_insert_id":                  number("0"),
	"lc_messages":                     text("en_US"),
	"local_infile":                    shared(toggle(true)),
	"long_query_time":                 number("10.000000"),
	"low_priority_updates":            toggle(false),
	"max_allowed_packet":              number("67108864"),
	"max_connections":                 shared(number("1000")),
	"max_error_count":                 number("1024"),
	"max_execution_time":              number("0"),
	"max_heap_table_size":             number("16777216"),
	"max_join_size":                   number("18446744073709551615"),
	"max_length_for_sort_data":        number("4096"),
	"max_seeks_for_key":               number("18446744073709551615"),
	"max_sort_length":                 number("1024"),
	"max_user_connections":            number("0"),
	"min_examined_row_limit":          number("0"),
	"net_buffer_length":               number("16384"),
	"net_read_timeout":                number("30"),
	"net_retry_count":                 number("10"),
	"net_write_timeout":               number("60"),
	"new":                             toggle(false),
	"old_alter_table":                 toggle(false),
	"optimizer_prune_level":           number("1"),
	"optimizer_search_depth":          number("62"),
	"optimizer_switch":                text("index_merge=on,index_merge_union=on,index_merge_sort_union=on,index_merge_intersection=on"),
	"optimizer_trace":                 text("enabled=off,one_line=off"),
	"parser_max_mem_size":             number("18446744073709551615"),
	"profiling":                       toggle(false),
	"profiling_history_size":          number("15"),
	"query_alloc_block_size":          number("8192"),
	"query_prealloc_size":             number("8192"),
	"range_alloc_block_size":          number("4096"),
	"range_optimizer_max_mem_size":    number("8388608"),
	"read_buffer_size":                number("131072"),
	"read_rnd_buffer_size":            number("262144"),
	"resultset_metadata":              text("FULL"),
	"session_track_gtids":             text("OFF"),
	"session_track_schema":            toggle(true),
	"session_track_state_change":      toggle(false),
	"session_track_system_variables":  text("time_zone,autocommit,character_set_client,character_set_results,character_set_connection"),
	"session_track_transaction_info":  text("OFF"),
	"show_create_table_verbosity":     toggle(false),
	"show_old_temporals":              toggle(false),
	"sort_buffer_size":                number("262144"),
	"sql_auto_is_null":                toggle(false),
	"sql_big_selects":                 toggle(true),
	"sql_buffer_result":               toggle(false),
	"sql_log_bin":                     toggle(true),
	"sql_notes":                       toggle(true),
	"sql_quote_show_create":           toggle(true),
	"sql_require_primary_key":         toggle(false),
	"sql_safe_updates":                toggle(false),
	"sql_warnings":                    toggle(false),
	"table_open_cache":                shared(number("4000")),
	"thread_cache_size":               shared(number("9")),
	"tmp_table_size":                  number("16777216"),
	"updatable_views_with_limit":      toggle(true),
	"wait_timeout":                    number("28800"),
	"windowing_use_high_precision":    toggle(true),

	// What tells of the server.
	"basedir":                   readOnly("/usr/"),
	"character_set_system":      readOnly("utf8mb3"),
	"datadir":                   readOnly("/var/lib/mysql/"),
	"gtid_executed":             readOnly(""),
	"gtid_mode":                 readOnly("ON"),
	"have_openssl":              readOnly("DISABLED"),
	"have_ssl":                  readOnly("DISABLED"),
	"hostname":                  readOnly("localhost"),
	"innodb_version":            readOnly("8.4.6"),
	"license":                   readOnly("Apache-2.0"),
	"log_bin":                   fixed(toggle(true)),
	"lower_case_file_system":    fixed(toggle(false)),
	"lower_case_table_names":    fixed(number("0")),
	"performance_schema":        fixed(toggle(false)),
	"port":                      fixed(number("3306")),
	"protocol_version":          fixed(number("10")),
	"pseudo_thread_id":          fixed(number("0")),
	"query_cache_size":          fixed(number("0")),
	"query_cache_type":          readOnly("OFF"),
	"read_only":                 fixed(toggle(false)),
	"secure_file_priv":          readOnly(""),
	"server_id":                 fixed(number("1")),
	"server_uuid":               readOnly("00000000-0000-0000-0000-000000000001"),
	"skip_networking":           fixed(toggle(false)),
	"skip_show_database":        fixed(toggle(false)),
	"socket":                    readOnly(""),
	"ssl_ca":                    readOnly(""),
	"ssl_cipher":                readOnly(""),
	"super_read_only":           fixed(toggle(false)),
	"system_time_zone":          readOnly("UTC"),
	"tls_version":               readOnly("TLSv1.2,TLSv1.3"),
	"tmpdir":                    readOnly("/tmp"),
	"version":                   readOnly("8.4.6-Vitess"),
	"version_comment":           readOnly("Vitro"),
	"version_compile_machine":   readOnly("x86_64"),
	"version_compile_os":        readOnly("Linux"),
	"version_compile_zlib":      readOnly("1.3.1"),
	"default_auth_plugin":       readOnly("mysql_native_password"),
	"require_secure_transport":  fixed(toggle(false)),
	"innodb_read_only":          fixed(toggle(false)),
	"innodb_page_size":          fixed(number("16384")),
	"have_profiling":            readOnly("YES"),
	"have_query_cache":          readOnly("NO"),
	"ft_min_word_len":           fixed(number("4")),
	"max_prepared_stmt_count":   fixed(number("16382")),
	"authentication_policy":     readOnly("*,,"),
	"back_log":                  fixed(number("151")),
	"default_password_lifetime": fixed(number("0")),
}

// variableNames are the names of systemVariables in the form the normaliser takes. It is never changed.
var variableNames = namesOf(systemVariables)

func namesOf(defs map[string]variableDef) map[string]string {
	names := make(map[string]string, len(defs))
	for name := range defs {
		names[name] = ""
	}
	return names
}
