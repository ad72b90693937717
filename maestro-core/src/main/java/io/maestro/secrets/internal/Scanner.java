package io.maestro.secrets.internal;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Takes the secrets out of texts, by a fixed set of rules. Immutable. */
public final class Scanner {
    private static final Scanner NONE = new Scanner(List.of());
    private static final Scanner DEFAULTS = new Scanner(DefaultRules.all());

    /** Taking out one secret can bring another one to light, but not for ever. */
    private static final int PASSES = 16;

    /** JSON in JSON in a URL, and one more. */
    private static final int LAYERS = 4;

    /** What is encoded once more, and that once more. */
    private static final int ENCODINGS = 2;

    private static final Comparator<SecretSpan> BY_PLACE = Comparator.comparingInt(SecretSpan::start)
            .thenComparing(Comparator.comparingInt(SecretSpan::end).reversed());

    /** Finds the parts of keys; null for a scanner that knows of none. */
    private final @Nullable PrivateKeyRule keys;

    private final List<Rule> rules;

    /** Made when the first text comes: most scanners are one of the steps to another one. */
    private volatile @Nullable KeywordAutomaton automaton;

    /** By name: the place of the first rule of that name. */
    private final Map<String, Integer> ranks = new HashMap<>();

    private Scanner(List<Rule> rules) {
        this.rules = rules;
        this.keys = rules.stream()
                .filter(PrivateKeyRule.class::isInstance)
                .map(PrivateKeyRule.class::cast)
                .findFirst()
                .orElse(null);
        rules.forEach(rule -> ranks.putIfAbsent(rule.name(), ranks.size()));
    }

    /**
     * Starts with rules.
     *
     * @param defaults whether with those for the well-known kinds of secrets, or with none
     * @return a scanner
     */
    public static Scanner create(boolean defaults) {
        return defaults ? DEFAULTS : NONE;
    }

    /**
     * Adds a rule.
     *
     * @param name stands in the mark
     * @param keywords where one of them stands, the expression is tried
     * @param regex must match from the keyword on
     * @return a scanner with the rule
     */
    public Scanner with(String name, List<String> keywords, String regex) {
        return with(List.of(RegexRule.of(name, keywords, regex)));
    }

    /**
     * Adds a secret's value.
     *
     * @param value the secret
     * @return a scanner with the secret
     */
    public Scanner withSecret(String value) {
        return with(KnownSecret.of(value));
    }

    private Scanner with(List<? extends Rule> more) {
        // First, so that they give the mark its name.
        return new Scanner(
                Stream.concat(more.stream(), rules.stream()).distinct().toList());
    }

    /**
     * Takes the secrets out.
     *
     * @param text any text
     * @return the same instance when there is none
     * @throws RuntimeException when the text cannot be scanned
     */
    public String redact(String text) {
        String current = text;
        for (int pass = 0; pass < PASSES; pass++) {
            String next = pass(current);
            if (next == null) {
                return current;
            }
            current = next;
        }
        throw new IllegalStateException("secrets are still found after " + PASSES + " passes");
    }

    /**
     * Finds the secrets, where they stand and each by itself, but for what is a part of another one by the same rule.
     *
     * @param text any text
     * @throws RuntimeException when the text cannot be scanned
     */
    public List<SecretSpan> find(String text) {
        List<SecretSpan> found = new ArrayList<>();
        layers(text, 0).stream()
                .map(span -> keys != null && keys.isMiddle(text, span)
                        ? new SecretSpan(span.start(), span.end(), span.rule(), true)
                        : span)
                .distinct()
                .sorted(BY_PLACE)
                .forEach(span -> {
                    SecretSpan last = found.isEmpty() ? null : found.get(found.size() - 1);
                    if (last == null || !last.rule().equals(span.rule()) || span.end() > last.end()) {
                        found.add(span);
                    }
                });
        return found;
    }

    /**
     * How much of a text that goes on holds no beginning of a secret whose end has not come.
     *
     * @param text the text so far
     * @param lastWord where its last word begins
     * @return at most that
     */
    public int settled(String text, int lastWord) {
        int settled = SettledText.of(text, lastWord);
        for (Rule rule : rules) {
            if (rule instanceof KnownSecret secret) {
                settled = Math.min(settled, secret.beginsIn(text));
            }
        }
        return settled;
    }

    /** Two threads may make one each, which are alike. */
    private KeywordAutomaton automaton() {
        KeywordAutomaton made = automaton;
        if (made == null) {
            Set<String> marks = Stream.concat(
                            rules.stream().map(Rule::name), Stream.of(KnownSecret.NAME, EncodedSecrets.NAME))
                    .map(Mark::of)
                    .collect(Collectors.toSet());
            List<Rule> all = new ArrayList<>(rules);
            all.add(new MarkRule(marks));
            made = new KeywordAutomaton(all);
            automaton = made;
        }
        return made;
    }

    /** Null when there is nothing to take out. */
    private @Nullable String pass(String text) {
        List<SecretSpan> secrets = merge(layers(text, 0));
        if (secrets.isEmpty()) {
            return null;
        }
        String redacted = replace(text, Json.isJson(text) ? Json.fit(text, secrets) : verbatim(secrets));
        return redacted.equals(text) ? null : redacted;
    }

    /** A secret, and the keyword that led to it. */
    private record Find(int keyword, SecretSpan span) {}

    /** The secrets in a text and in what it is when its escapes are taken away, layer by layer. */
    private List<SecretSpan> layers(String text, int encodings) {
        List<SecretSpan> secrets = secrets(text, null, encodings);
        DecodedText decoded = DecodedText.of(text);
        for (int layer = 0; layer < LAYERS && decoded != null; layer++) {
            for (SecretSpan span : secrets(decoded.text(), decoded, encodings)) {
                if (decoded.text().substring(span.start(), span.end()).indexOf(DecodedText.GAP) < 0) {
                    secrets.add(decoded.source(span));
                }
            }
            decoded = decoded.again();
        }
        return secrets;
    }

    /** Looks at a text; at one that was decoded only near what is not as it was before. */
    private List<SecretSpan> secrets(String text, @Nullable DecodedText layer, int encodings) {
        MeteredText metered = new MeteredText(text);
        List<Find> finds = new ArrayList<>();
        NavigableMap<Integer, SecretSpan> marks = new TreeMap<>();
        automaton().scan(text, (rule, start, end) -> {
            if (!rule.mayMatch(text, start, end)) {
                return;
            }
            if (layer != null
                    && !(rule instanceof MarkRule)
                    && !layer.isChanged(start - DecodedText.BEFORE, end + DecodedText.REACH)) {
                return;
            }
            SecretSpan span = rule.match(metered, start, end);
            if (span != null && rule instanceof MarkRule) {
                marks.put(start, span);
            } else if (span != null) {
                boolean certain = rule.isCertain(text.substring(span.start(), span.end()));
                finds.add(new Find(start, new SecretSpan(span.start(), span.end(), span.rule(), certain)));
            }
        });
        if (keys != null) {
            keys.middles(text).forEach(span -> finds.add(new Find(span.start(), span)));
        }
        if (encodings < ENCODINGS) {
            EncodedSecrets.in(text, plain -> naming(layers(plain, encodings + 1)))
                    .forEach(span -> finds.add(new Find(span.start(), span)));
        }
        return finds.stream()
                .filter(find -> !isInMark(marks, find.keyword, find.keyword + 1)
                        && !isInMark(marks, find.span.start(), find.span.end()))
                .map(Find::span)
                .collect(Collectors.toCollection(ArrayList::new));
    }

    /** Of secrets in a text that is taken out as a whole, the one that says what it is. */
    private static Optional<SecretSpan> naming(List<SecretSpan> secrets) {
        return secrets.stream().reduce((one, other) -> !one.certain() && other.certain() ? other : one);
    }

    private static boolean isInMark(NavigableMap<Integer, SecretSpan> marks, int start, int end) {
        Map.Entry<Integer, SecretSpan> mark = marks.floorEntry(start);
        return mark != null && end <= mark.getValue().end();
    }

    /** Makes one of those that overlap. The first certain one gives its name; where none is, the first, and of those the longest. */
    private List<SecretSpan> merge(List<SecretSpan> found) {
        found.sort(BY_PLACE.thenComparingInt(span -> ranks.getOrDefault(span.rule(), 0)));
        List<SecretSpan> merged = new ArrayList<>();
        for (SecretSpan span : found) {
            SecretSpan last = merged.isEmpty() ? null : merged.get(merged.size() - 1);
            if (last != null && span.start() < last.end()) {
                SecretSpan name = naming(List.of(last, span)).orElseThrow();
                int end = Math.max(last.end(), span.end());
                merged.set(merged.size() - 1, new SecretSpan(last.start(), end, name.rule(), name.certain()));
            } else {
                merged.add(span);
            }
        }
        return merged;
    }

    private static List<Json.Replacement> verbatim(List<SecretSpan> secrets) {
        return secrets.stream()
                .map(span -> new Json.Replacement(span.start(), span.end(), span.mark()))
                .toList();
    }

    private static String replace(String text, List<Json.Replacement> replacements) {
        StringBuilder redacted = new StringBuilder(text.length());
        int copied = 0;
        for (Json.Replacement replacement : replacements) {
            redacted.append(text, copied, replacement.start()).append(replacement.text());
            copied = replacement.end();
        }
        return redacted.append(text, copied, text.length()).toString();
    }
}
