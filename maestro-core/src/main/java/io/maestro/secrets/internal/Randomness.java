package io.maestro.secrets.internal;

/**
 * Tells what machines make at random from words and names in code. Each pair of neighbouring characters is weighed: by how much
 * more often it occurs at random than in words.
 */
final class Randomness {
    private static final int DIGIT = 26;
    private static final int SYMBOLS = 27;

    /** By the first and the second of a pair, letters alike in both cases and all digits alike: twice the binary logarithm, plus 8. */
    private static final String WEIGHTS = "rhfgqnipislegerhrefdkkmmiqs"
            + "eljlenoofhqcloemsihlesrsgpq"
            + "epiodoreisggmpcmnhjehqssksr"
            + "ekjhbkmmdnnhklfkshgiilmplrq"
            + "glgfjikoksogiemimdeenjkhkss"
            + "fmjlffnrcspglmdnsghiiporksp"
            + "gkkmanjhgsqikgilsfgjhoqsnos"
            + "cnkkcnqoesokjmdmsgigjopslrs"
            + "ijfhhihsqrqghcejsifeqislsis"
            + "cnjicjrrgmhkmkeksjilejpsosr"
            + "fjhjajijempikijkpjfiimjslrr"
            + "ellhclnpdrnfmneksmihhlprhrs"
            + "dhlmbopofsqljleesniliqrnmss"
            + "fmgeejengrklmkhkqnfdijpsoss"
            + "kjggoikqkskggcihsdhhfjhmpss"
            + "dnlkdnpjhsoemoegqdjfhnpskss"
            + "mooorrsolrogpkosoiknarpsrss"
            + "dmiickjoeslkhjelshfgjlosiss"
            + "hnhmckoheskjkmhhnlfcgomsjss"
            + "elikckogdrnjkmfjrfghjnmqhqs"
            + "igilfilshsqfgdmgsfferqsqssl"
            + "cporaqoqdspqlogpsomnrsornsr"
            + "dljjejohcspjlfflsegimommqqs"
            + "hjdlfkomgsrkipieslkbnnokhrn"
            + "hjgkgkmmgpphhfgcqjeelmkrpln"
            + "eomkapsnessmmmfnsnmomqoskjs"
            + "higihhrppsqmnommsolkpsqkqrf";

    private static final int ZERO = 'a' + 8;

    /** In names of code a capital letter seldom follows a small one. */
    private static final int TO_CAPITAL = 3;

    private static final int CAPITALS = 1;
    private static final int SMALL = -1;

    private Randomness() {}

    /** How random a text looks: above 0 is rather random, below rather words. */
    static int of(String text) {
        boolean mixed = isMixed(text);
        int sum = 0;
        for (int i = 1; i < text.length(); i++) {
            char before = text.charAt(i - 1);
            char c = text.charAt(i);
            int first = symbol(before);
            int second = symbol(c);
            if (first >= 0 && second >= 0) {
                sum += WEIGHTS.charAt(first * SYMBOLS + second) - ZERO;
                if (mixed && first != DIGIT && second != DIGIT) {
                    sum += isCapital(c) ? (isCapital(before) ? CAPITALS : TO_CAPITAL) : isCapital(before) ? 0 : SMALL;
                }
            }
        }
        return sum;
    }

    private static boolean isMixed(String text) {
        boolean capital = false;
        boolean small = false;
        for (int i = 0; i < text.length(); i++) {
            capital |= isCapital(text.charAt(i));
            small |= text.charAt(i) >= 'a' && text.charAt(i) <= 'z';
        }
        return capital && small;
    }

    private static boolean isCapital(char c) {
        return c >= 'A' && c <= 'Z';
    }

    /** Negative when it is neither a letter nor a digit. */
    private static int symbol(char c) {
        if (c >= 'a' && c <= 'z') {
            return c - 'a';
        }
        if (isCapital(c)) {
            return c - 'A';
        }
        return c >= '0' && c <= '9' ? DIGIT : -1;
    }
}
