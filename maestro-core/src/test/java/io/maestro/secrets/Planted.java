package io.maestro.secrets;

import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Texts with made-up secrets. {@code {A36}} stands for 36 random characters of an alphabet, so that no line of the tests
 * looks like a real token; what is between {@code «} and {@code »} is to be taken out.
 */
final class Planted {
    private static final Pattern PART = Pattern.compile("\\{([AUahDbw])(\\d+)}");

    private final String marked;

    private Planted(String marked) {
        this.marked = marked;
    }

    static Planted of(String pattern, Random random) {
        return new Planted(fill(pattern, random));
    }

    static String fill(String pattern, Random random) {
        Matcher matcher = PART.matcher(pattern);
        StringBuilder filled = new StringBuilder();
        while (matcher.find()) {
            matcher.appendReplacement(
                    filled, characters(alphabet(matcher.group(1)), Integer.parseInt(matcher.group(2)), random));
        }
        return matcher.appendTail(filled).toString();
    }

    private static String alphabet(String kind) {
        String digits = "0123456789";
        String lower = "abcdefghijklmnopqrstuvwxyz";
        String upper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
        return switch (kind) {
            case "A" -> upper + lower + digits;
            case "U" -> upper + digits;
            case "a" -> lower;
            case "h" -> "abcdef" + digits;
            case "D" -> digits;
            case "b" -> upper + lower + digits + "+/";
            default -> upper + lower + digits + "-_";
        };
    }

    /** The last one is a digit, since some rules ask for one and hardly a real token is without. */
    static String characters(String alphabet, int length, Random random) {
        StringBuilder characters = new StringBuilder();
        for (int i = 1; i < length; i++) {
            characters.append(alphabet.charAt(random.nextInt(alphabet.length())));
        }
        boolean digit = alphabet.indexOf('7') >= 0;
        return characters
                .append(digit ? '7' : alphabet.charAt(random.nextInt(alphabet.length())))
                .toString();
    }

    String text() {
        return marked.replace("«", "").replace("»", "");
    }

    String redacted(String rule) {
        return marked.replaceAll("(?s)«.*?»", Matcher.quoteReplacement("[REDACTED:" + rule + "]"));
    }
}
