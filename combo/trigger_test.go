package combo_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vitrodb/vitro/combo"
)

// TestTriggersOfSchemaFiles has files bring triggers, as people write them and as mysqldump does: each shard's rows fire its own.
func TestTriggersOfSchemaFiles(t *testing.T) {
	dir := writeFiles(t, map[string]string{
		"shop/vschema.json": hashedT,
		"shop/01.sql": `create table t (id bigint primary key, n int, twice int as (n * 2));
create table log (what varchar(30));
DELIMITER //
create trigger t_bi before insert on t for each row
begin
  -- the next one; a comment with ; in it
  if new.n is null then
    set new.n = 5;
  end if;
end//
create trigger if not exists t_ai after insert on t for each row follows_nothing: begin
  insert into log values (concat(new.id, ' ', new.n, ' ', new.twice));
end//
DELIMITER ;
create trigger t_ad after delete on t for each row insert into log values (concat('gone ', old.id));
/*!50003 SET sql_mode = 'STRICT_TRANS_TABLES' */ ;
DELIMITER ;;
/*!50003 CREATE*/ /*!50017 DEFINER=` + "`root`@`localhost`" + `*/ /*!50003 TRIGGER ` + "`t_bu`" + ` BEFORE UPDATE ON ` + "`t`" + ` FOR EACH ROW BEGIN
  IF NEW.n < 0 THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'negative'; END IF;
END */;;
DELIMITER ;
`,
	})
	_, db := start(t, combo.Config{SchemaDir: dir}, "shop")
	exec(t, db, "insert into t (id, n) values (1, 1), (2, null), (3, 3), (4, null)")
	require.Equal(t, []string{"1 1 2", "2 5 10", "3 3 6", "4 5 10"}, rows(t, db, "select id, n, twice from t order by id"))
	exec(t, db, "delete from t where id = 2")
	_, err := db.Exec("update t set n = -1 where id = 1")
	require.ErrorContains(t, err, "negative")
	require.Equal(t, []string{"1 1 2", "2 5 10", "3 3 6", "4 5 10", "gone 2"}, rows(t, db, "select what from log order by what"))
	require.Equal(t, []string{"t_ad", "t_ai", "t_bi", "t_bu"}, rows(t, db, "select trigger_name from information_schema.triggers order by trigger_name"))
}
