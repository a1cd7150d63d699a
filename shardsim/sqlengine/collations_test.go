package sqlengine

import (
	"flag"
	"math/rand/v2"
	"sort"
	"strings"
	"testing"
	"unicode"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	dolttypes "github.com/dolthub/vitess/go/sqltypes"
	"github.com/stretchr/testify/require"
	"vitess.io/vitess/go/mysql/collations"
	"vitess.io/vitess/go/mysql/collations/colldata"
)

var collationSeed = flag.Uint64("collation-seed", 1, "of the random strings of TestShardOrderIsGatewayOrder")

// TestShardOrderIsGatewayOrder sorts all of Unicode's characters and random strings as a shard does, and has the gateway's
// library find each neighbour in order: else a merge of sorted shards would not be sorted.
func TestShardOrderIsGatewayOrder(t *testing.T) {
	texts := append(assignedCharacters(), randomTexts(100_000)...)
	for _, name := range []string{
		"utf8mb4_0900_ai_ci", "utf8mb4_0900_as_cs", "utf8mb4_0900_bin", "utf8mb4_de_pb_0900_ai_ci",
		"utf8mb4_general_ci", "utf8mb4_unicode_ci", "utf8mb4_bin", "utf8mb3_general_ci", "latin1_swedish_ci", "binary",
	} {
		t.Run(name, func(t *testing.T) {
			id, err := sql.ParseCollation("", name, false)
			require.NoError(t, err)
			typ, err := types.CreateString(dolttypes.VarChar, 100, id)
			if name == "binary" {
				typ, err = types.CreateBinary(dolttypes.VarBinary, 100)
			}
			require.NoError(t, err)
			requireGatewayOrder(t, name, newColumnKeyer(0, typ), texts)
		})
	}
}

func requireGatewayOrder(t *testing.T, name string, keyer columnKeyer, texts []string) {
	coll := colldata.Lookup(collations.MySQL8().LookupByName(name))
	require.NotNil(t, coll)
	type keyed struct{ key, text string }
	var all []keyed
	for _, text := range texts {
		if strings.IndexFunc(text, func(r rune) bool { return !inCharset(name, r) }) >= 0 {
			continue
		}
		if keyer.pad {
			// The library's comparison counts trailing spaces, MySQL's does not.
			text = strings.TrimRight(text, " ")
		}
		key, err := keyer.append(nil, text)
		require.NoError(t, err)
		all = append(all, keyed{string(key), text})
	}
	sort.Slice(all, func(i, j int) bool { return all[i].key < all[j].key })
	for i := 1; i < len(all); i++ {
		a, b := all[i-1], all[i]
		cmp := coll.Collate(gatewayBytes(coll, a.text), gatewayBytes(coll, b.text), false)
		if cmp > 0 || cmp == 0 != (a.key == b.key) {
			t.Fatalf("%q (key %x) comes before %q (key %x), which the gateway compares as %d", a.text, a.key, b.text, b.key, cmp)
		}
	}
}

// inCharset reports whether a collation's character set has a character.
func inCharset(collation string, r rune) bool {
	switch charset, _, _ := strings.Cut(collation, "_"); charset {
	case "latin1":
		return r < 0x80 || r >= 0xa0 && r <= unicode.MaxLatin1
	case "utf8mb3":
		return r <= 0xffff
	}
	return true
}

// gatewayBytes is a text as the gateway gets it from a shard: in UTF-8, or in latin1 under a collation of that.
func gatewayBytes(coll colldata.Collation, text string) []byte {
	if !strings.HasPrefix(coll.Name(), "latin1") {
		return []byte(text)
	}
	var b []byte
	for _, r := range text {
		b = append(b, byte(r))
	}
	return b
}

func assignedCharacters() []string {
	var all []string
	for r := rune(1); r <= unicode.MaxRune; r++ {
		if unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Z, unicode.Cc, unicode.Cf) {
			all = append(all, string(r))
		}
	}
	return all
}

// randomTexts makes texts of letters that have several cases, accents, expansions or contractions, and of any others.
func randomTexts(n int) []string {
	random := rand.New(rand.NewPCG(*collationSeed, 0))
	common := []rune("aAbBzZ sSßæÆœøåÅäÄöéÉèeE\u0301\u0308ñnçčdžǆ0129-_.,ΑαΩωЯяשلあア가漢字🙂")
	assigned := assignedCharacters()
	texts := make([]string, n)
	for i := range texts {
		var b strings.Builder
		for range random.IntN(6) {
			if random.IntN(4) == 0 {
				b.WriteString(assigned[random.IntN(len(assigned))])
			} else {
				b.WriteRune(common[random.IntN(len(common))])
			}
		}
		texts[i] = b.String()
	}
	return texts
}
