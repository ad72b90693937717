package io.maestro.secrets.internal;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a name can say about its value, and which values are then taken for secrets. */
enum SecretKind {
    /** Chosen by people: may be words. */
    PASSWORD(
            "password",
            "s?",
            List.of("password", "passwd", "passphrase", "passcode", "passwort", "pwd", "pass", "pw", "psk")),
    /** May be anything. */
    SECRET(
            "secret",
            "s?(?:[_.-]?(?:access[_.-]?)?key(?:[_.-]?base)?)?",
            List.of("secret", "credential", "creds", "cred")),
    /** Made by machines. */
    TOKEN("token", "s?", List.of("token")),
    /** Made by machines; the names are common in code. */
    KEY("token", "s?(?:[_.-]?data)?", List.of("key", "auth", "cookie", "session", "sessionid", "pat", "jwt", "bearer")),
    /** Of a vendor whose tokens look like any others: the name may end in much. */
    VENDOR("vendor-key", "[A-Za-z0-9_.-]{0,40}", List.of());

    /** No secret is shorter. */
    static final int SHORTEST = 6;

    private static final int LONGEST_PHRASE = 100;
    private static final int SHORTEST_TOKEN = 8;
    private static final int SHORTEST_RANDOM = 10;
    private static final int SHORTEST_KEY = 16;
    private static final int SHORTEST_OF_VENDOR = 14;

    /** See {@link Randomness}. */
    private static final int RANDOM = 6;

    private static final int RATHER_RANDOM = -4;

    /** What may stand behind the word that says what a value is. */
    private static final String SUFFIX =
            "(?:[_.-]?(?:value|val|str|string|text|plain|prod|production|staging|stage|dev|test|ci"
                    + "|live|default|primary|secondary|main|old|new|prev|current|raw|b64|base64|encoded))?(?:[_-]?\\d{1,2})?"
                    + "(?!-?[A-Za-z0-9_])(?!\\.[A-Za-z_])";

    /** Words that are parts of others, such as "compass" and "monkey". */
    private static final Set<String> SHORT =
            Set.of("pass pw psk key auth cookie session sessionid pat jwt bearer creds cred".split(" "));

    /** What may stand before those without a joint. */
    private static final Pattern GLUED =
            Pattern.compile("(?i)(?:^|.*[^a-z])(?:api|app|access|secret|private|auth|account|signing"
                    + "|encryption|master|ssh|aes|hmac|rsa|license|deploy|service|db|my|sql|mysql|pg|user|admin|root|smtp|mail|ftp"
                    + "|redis|store|keystore|trust|oauth|basic|http|php|asp|web|client|server|host)+");

    /** Before "key" and "token": then it is none. */
    private static final List<String> NO_SECRET_NAMES =
            List.of(("next page paging continuation cursor sync cancel cancellation idempotency pagination public pub "
                            + "primary foreign cache sort partition hash row index map object translation message i18n dedup "
                            + "deduplication group routing unique natural lookup param query label react config property "
                            + "publickey setting metric resource event search image checksum digest git commit releasemanager clientrequest")
                    .split(" "));

    private static final Pattern SECRET_NAME_OF_VENDOR = Pattern.compile(
            "(?i).*(?:token|key|secret|auth|pass|passwd|password|pw|pwd|id|pat|creds?|credentials?|login|license|access|api"
                    + "|sid|code|dsn|com)\\d{0,2}");

    /** What a variable whose name ends in KEY may have as well: a path, or the name of a column. */
    private static final Pattern NO_KEY = Pattern.compile("[/~.].*|[a-z_.]+|[A-Z_.]+");

    private static final Pattern NAMES = Pattern.compile("(?i)passw|passphrase|secret|token|key|credential|pwd");
    private static final Pattern LABEL =
            Pattern.compile("\\p{Lu}\\p{Ll}+|[A-Za-z]+(?:\\.[A-Za-z_]+)+|\\p{Ll}+(?:\\p{Lu}\\p{Ll}+)+");
    private static final Pattern HEX = Pattern.compile("[0-9a-f]{16,}|[0-9A-F]{16,}");
    private static final Pattern UUID = Pattern.compile("(?i)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}");

    /** Arguments of calls: {@code base64url}, {@code latin1}, {@code aes-256-gcm}, {@code PBKDF2WithHmacSHA256}. */
    private static final Pattern ALGORITHM = Pattern.compile(
            "(?i)(?:(?:utf|ucs|iso|latin|base|ascii|windows|cp|x|ed|secp|curve|p|sha|md|hmac|blake|pbkdf|argon|scrypt"
                    + "|bcrypt|chacha|poly|aes|des|rsa|ec|hs|rs|es|ps|url|hex|le|be|cbc|gcm|ctr|ccm|with|id|[bikrs]|[1-9]|1[0-6]|32|58|64|85|128|192|224|256|384|448|512|521|1252|1305|8859|25519)[-_/]?){2,8}");

    private static final Pattern SIMPLE_CODE = Pattern.compile("[A-Za-z_$][\\w.$]*");
    private static final Pattern CALL = Pattern.compile("[A-Za-z_$][\\w.$:>-]*[(\\[].*");

    private final String rule;
    private final Pattern tail;

    @SuppressWarnings("ImmutableEnumChecker") // a copy that nobody can change
    private final List<String> keywords;

    SecretKind(String rule, String tail, List<String> keywords) {
        this.rule = rule;
        this.tail = Pattern.compile("(?i)" + tail + (rule.equals("vendor-key") ? "" : SUFFIX));
        this.keywords = List.copyOf(keywords);
    }

    String rule() {
        return rule;
    }

    List<String> keywords() {
        return keywords;
    }

    /** Where a name ends whose keyword is at a place; negative when it is no name of this kind. */
    int endOfName(MeteredText text, int end) {
        if (this != VENDOR && AssignmentFilter.endsName(text.toString(), end)) {
            return end;
        }
        Matcher matcher = text.at(tail, end);
        return matcher.lookingAt() ? matcher.end() : -1;
    }

    /**
     * Whether a name is one of this kind.
     *
     * @param before what stands before the keyword
     * @param word from the keyword on
     * @param keyword its length
     */
    boolean isName(String before, String word, int keyword) {
        String key = word.substring(0, keyword);
        if (this == VENDOR) {
            return SECRET_NAME_OF_VENDOR.matcher(word).matches();
        }
        return isWordOfItsOwn(before, key) && (this == PASSWORD || !isNoSecret(before));
    }

    private static boolean isWordOfItsOwn(String before, String key) {
        if (before.isEmpty() || !SHORT.contains(key.toLowerCase(Locale.ROOT))) {
            return true;
        }
        char last = before.charAt(before.length() - 1);
        boolean hump = Character.isLowerCase(last) && Character.isUpperCase(key.charAt(0));
        return !Character.isLetter(last) || hump || GLUED.matcher(before).matches();
    }

    /** Whether a variable of the environment that has this name holds a secret of this kind, unless its value is none. */
    boolean isNameOfVariable(String name) {
        MeteredText text = new MeteredText(name);
        String small = name.toLowerCase(Locale.ROOT);
        for (String keyword : keywords) {
            for (int at = small.indexOf(keyword); at >= 0; at = small.indexOf(keyword, at + 1)) {
                int end = at + keyword.length();
                if (endOfName(text, end) == name.length()
                        && isWordOfItsOwn(name.substring(0, at), name.substring(at, end))) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Whether the value of such a variable may be a secret: a key may be a path or a plain word, a password is what it is. */
    boolean isValueOfVariable(String value) {
        return switch (this) {
            case PASSWORD -> true;
            case KEY -> !NO_KEY.matcher(value).matches();
            default -> value.contains("://") || !isPath(value);
        };
    }

    private static boolean isNoSecret(String before) {
        int end =
                before.length() - (!before.isEmpty() && "_.-".indexOf(before.charAt(before.length() - 1)) >= 0 ? 1 : 0);
        String name = before.substring(0, end).toLowerCase(Locale.ROOT);
        for (String word : NO_SECRET_NAMES) {
            if (name.endsWith(word)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Whether a value in quotes, in an XML element or on a line of its own is a secret.
     *
     * @param strict whether what stands there is often something else
     */
    boolean isText(String value, boolean strict) {
        return value.length() >= SHORTEST
                && looksSecret(value, strict)
                && isPossible(value)
                && !(strict && ALGORITHM.matcher(value).matches());
    }

    private boolean looksSecret(String value, boolean strict) {
        boolean blanks = any(value, Character::isWhitespace);
        return switch (this) {
            case PASSWORD ->
                strict
                        ? !blanks
                                && (isOdd(value, 0)
                                        || hasDigit(value)
                                                && hasLetter(value)
                                                && !NAMES.matcher(value).find())
                        : !isAboutASecret(value) && !LABEL.matcher(value).matches() && !(blanks && isSentence(value));
            case SECRET ->
                !blanks
                        && !isAboutASecret(value)
                        && (strict ? isMachineMade(value) : hasDigit(value) || isRandom(value));
            default -> isWord(value) && (!strict || isRandom(value));
        };
    }

    /**
     * Whether a value without quotes is a secret.
     *
     * @param certain whether it is a value for certain, and not code
     * @param code whether it may well be code
     */
    boolean isBare(String value, boolean certain, boolean code) {
        return value.length() >= SHORTEST
                && looksSecretBare(value, certain, code)
                && isPossible(value)
                && !CALL.matcher(value).matches();
    }

    private boolean looksSecretBare(String value, boolean certain, boolean code) {
        if (this != PASSWORD && this != SECRET) {
            return certain
                            && this == TOKEN
                            && value.length() >= SHORTEST_TOKEN
                            && !LABEL.matcher(value).matches()
                    || isWord(value) && (!code || isRandom(value));
        }
        if (certain) {
            return this == PASSWORD || !LABEL.matcher(value).matches();
        }
        boolean expression = code && SIMPLE_CODE.matcher(value).matches();
        return isRandom(value) || hasDigit(value) && !NAMES.matcher(value).find() && (!expression || isOdd(value, 1));
    }

    private boolean isWord(String value) {
        return all(value, SecretKind::isOfWord)
                && switch (this) {
                    case VENDOR ->
                        value.length() >= SHORTEST_OF_VENDOR && (isRandom(value) || isOdd(value, 0) || isDigits(value));
                    case KEY -> value.length() >= SHORTEST_KEY && isRandom(value);
                    default -> isMachineMade(value);
                };
    }

    private static boolean isPossible(String value) {
        return !Placeholder.isIn(value) && !isPath(value);
    }

    private static boolean isMachineMade(String value) {
        return value.length() >= SHORTEST_TOKEN && isOdd(value, RATHER_RANDOM) || isRandom(value);
    }

    private static boolean isOdd(String value, int least) {
        return hasDigit(value) && hasLetter(value) && Randomness.of(value) >= least;
    }

    private static boolean isRandom(String value) {
        return value.length() >= SHORTEST_RANDOM
                && (Randomness.of(value) >= RANDOM
                        || (HEX.matcher(value).matches() || UUID.matcher(value).matches())
                                && hasDigit(value)
                                && hasLetter(value));
    }

    private static boolean hasDigit(String value) {
        return any(value, c -> c >= '0' && c <= '9');
    }

    private static boolean hasLetter(String value) {
        return any(value, Character::isLetter);
    }

    private static boolean any(String value, IntPredicate is) {
        for (int i = 0; i < value.length(); i++) {
            if (is.test(value.charAt(i))) {
                return true;
            }
        }
        return false;
    }

    private static boolean all(String value, IntPredicate is) {
        return !any(value, is.negate());
    }

    private static boolean isOfWord(int c) {
        return c < 128 && (Character.isLetterOrDigit(c) || "+/=_.~:%|@$!*,-".indexOf(c) >= 0);
    }

    private static boolean isDigits(String value) {
        return all(value, c -> c >= '0' && c <= '9');
    }

    /** A label, a message or a name in code, such as {@code Enter your password} or {@code db_password}. */
    private static boolean isAboutASecret(String value) {
        return all(value, c -> Character.isLetter(c) || " _-.:,!?'".indexOf(c) >= 0)
                && any(value, c -> " _.".indexOf(c) >= 0)
                && (value.indexOf(' ') >= 0 || NAMES.matcher(value).find());
    }

    /** Of words mostly: a message. */
    private static boolean isSentence(String value) {
        String[] words = value.strip().split("\\s+", -1);
        int plain = 0;
        for (String word : words) {
            String bare = word.replaceAll("^[(\\[\"'„«¿]+|[).,:;!?\\]\"'“»…]+$", "");
            plain += !bare.isEmpty() && bare.chars().allMatch(c -> Character.isLetter(c) || c == '\'' || c == '-')
                    ? 1
                    : 0;
        }
        return value.length() > LONGEST_PHRASE || words.length >= 2 && plain * 10 >= words.length * 7;
    }

    private static boolean isPath(String value) {
        return ("/~.".indexOf(value.charAt(0)) >= 0 || value.contains("://"))
                && value.chars().filter(c -> c == '/').count() >= 2
                && all(value, c -> Character.isLetterOrDigit(c) || "/~._@-:?=&%#+,".indexOf(c) >= 0)
                && (value.charAt(0) != '/' || Randomness.of(value) < RANDOM);
    }
}
