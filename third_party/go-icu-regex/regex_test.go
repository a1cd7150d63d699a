package regex

import (
	"context"
	"testing"
)

// compile makes a Regex of a pattern and a text.
func compile(t *testing.T, pattern, text string, flags RegexFlags) Regex {
	t.Helper()
	re := CreateRegex(1024)
	t.Cleanup(func() { re.Close() })
	if err := re.SetRegexString(context.Background(), pattern, flags); err != nil {
		t.Fatal(err)
	}
	if err := re.SetMatchString(context.Background(), text); err != nil {
		t.Fatal(err)
	}
	return re
}

func TestFind(t *testing.T) {
	for _, tc := range []struct {
		name, pattern, text string
		flags               RegexFlags
		start, occurrence   int
		from, behind        int // 0: no match
		substring           string
	}{
		{"first", `[a-z]+`, "abc def ghi", 0, 1, 1, 1, 4, "abc"},
		{"third", `[a-z]+`, "abc def ghi", 0, 1, 3, 9, 12, "ghi"},
		{"no fourth", `[a-z]+`, "abc def ghi", 0, 1, 4, 0, 0, ""},
		{"from within a word", `[a-z]+`, "abc def ghi", 0, 2, 1, 2, 4, "bc"},
		{"second from within a word", `[a-z]+`, "abc def ghi", 0, 2, 2, 5, 8, "def"},
		{"^ is the beginning of the text, not of the search", `^b`, "abc", 0, 2, 1, 0, 0, ""},
		{"lookbehind sees what is before the search", `(?<=a)b`, "abc", 0, 2, 1, 2, 3, "b"},
		{"behind the end", `a`, "a", 0, 2, 1, 0, 0, ""},
		{"case counts", `B`, "abc", 0, 1, 1, 0, 0, ""},
		{"case does not count", `B`, "abc", RegexFlags_Case_Insensitive, 1, 1, 2, 3, "b"},
		{"positions are characters", `b`, "\U0001F600äb", 0, 1, 1, 3, 4, "b"},
		{"dot and line end", `a.b`, "a\nb", 0, 1, 1, 0, 0, ""},
		{"dot takes a line end", `a.b`, "a\nb", RegexFlags_Dot_All, 1, 1, 1, 4, "a\nb"},
		{"lines", `^b$`, "a\nb\nc", RegexFlags_Multiline, 1, 1, 3, 4, "b"},
		{"empty matches move on", `x*`, "ab", 0, 1, 2, 2, 2, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			re := compile(t, tc.pattern, tc.text, tc.flags)
			ctx := context.Background()
			from, err := re.IndexOf(ctx, tc.start, tc.occurrence, false)
			if err != nil || from != tc.from {
				t.Errorf("begins at %d, error %v; want %d", from, err, tc.from)
			}
			behind, err := re.IndexOf(ctx, tc.start, tc.occurrence, true)
			if err != nil || behind != tc.behind {
				t.Errorf("ends before %d, error %v; want %d", behind, err, tc.behind)
			}
			substring, found, err := re.Substring(ctx, tc.start, tc.occurrence)
			if err != nil || substring != tc.substring || found != (tc.from > 0) {
				t.Errorf("got %q, %v, error %v; want %q", substring, found, err, tc.substring)
			}
			matches, err := re.Matches(ctx, tc.start-1, tc.occurrence)
			if err != nil || matches != (tc.from > 0) {
				t.Errorf("matches: %v, error %v", matches, err)
			}
		})
	}
}

func TestReplace(t *testing.T) {
	for _, tc := range []struct {
		name, pattern, text, replacement string
		start, occurrence                int
		want                             string
		wantErr                          error
	}{
		{name: "all", pattern: `b`, text: "abcb", replacement: "X", start: 1, want: "aXcX"},
		{name: "third", pattern: `[a-z]+`, text: "abc def ghi", replacement: "X", start: 1, occurrence: 3, want: "abc def X"},
		{name: "none", pattern: `z`, text: "abc", replacement: "X", start: 1, want: "abc"},
		{name: "all from a position", pattern: `a`, text: "aaa", replacement: "b", start: 2, want: "abb"},
		{name: "one from a position", pattern: `a`, text: "aaa", replacement: "b", start: 2, occurrence: 1, want: "aba"},
		{name: "groups", pattern: `(\w+) (\w+)`, text: "hello world", replacement: "$2-$1-$0", start: 1, want: "world-hello-hello world"},
		{name: "digits behind a group", pattern: `(a)`, text: "a", replacement: "$12", start: 1, want: "a2"},
		{name: "a group without part", pattern: `(a)|(b)`, text: "b", replacement: "<$1>", start: 1, want: "<>"},
		{name: "escapes", pattern: `a`, text: "a", replacement: `\$1\\`, start: 1, want: `$1\`},
		{name: "empty matches", pattern: `x*`, text: "ab", replacement: "-", start: 1, want: "-a-b-"},
		{name: "no such group", pattern: `a`, text: "a", replacement: "$1", start: 1, wantErr: errGroupNumber},
		{name: "no group at all", pattern: `a`, text: "a", replacement: "$", start: 1, wantErr: errGroupName},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := compile(t, tc.pattern, tc.text, 0).Replace(context.Background(), tc.replacement, tc.start, tc.occurrence)
			if err != tc.wantErr || got != tc.want {
				t.Errorf("got %q, error %v; want %q, error %v", got, err, tc.want, tc.wantErr)
			}
		})
	}
}

func TestErrors(t *testing.T) {
	ctx := context.Background()
	re := CreateRegex(0)
	if err := re.SetMatchString(ctx, "a"); !ErrRegexNotYetSet.Is(err) {
		t.Errorf("text before pattern: %v", err)
	}
	if err := re.SetRegexString(ctx, "(", 0); !ErrInvalidRegex.Is(err) {
		t.Errorf("broken pattern: %v", err)
	}
	if err := re.SetRegexString(ctx, "a", 0); err != nil {
		t.Error(err)
	}
	if _, err := re.Matches(ctx, 0, 0); !ErrMatchNotYetSet.Is(err) {
		t.Errorf("no text: %v", err)
	}
	if err := re.Close(); err != nil {
		t.Error(err)
	}
}
