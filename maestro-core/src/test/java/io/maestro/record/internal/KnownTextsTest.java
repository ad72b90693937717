package io.maestro.record.internal;

import static io.maestro.testing.AssertThat.assertThat;

import io.maestro.llm.LlmContent;
import io.maestro.llm.internal.MessageJson;
import io.maestro.record.AuditLog;
import io.maestro.secrets.CleanText;
import io.maestro.secrets.Redactor;
import io.maestro.secrets.SecretRedactor;
import io.maestro.story.CoderState;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rows with texts that are clean already: what is around them is scanned, and they are where they are not what they were. */
class KnownTextsTest {
    private static final String SECRET = "correct-horse-battery";
    private static final String HALF = "ghp_abcdefghijABCDEFGHIJ";
    private static final String REST = "0123456789abcdef";

    @TempDir
    Path directory;

    private final SecretRedactor rules = SecretRedactor.withDefaults();
    private final List<String> scanned = new ArrayList<>();
    private final Redactor redactor = new Redactor() {
        @Override
        public String redact(String text) {
            scanned.add(text);
            return rules.redact(text);
        }

        @Override
        public Object version() {
            return rules.version();
        }
    };
    private Store store;

    @BeforeEach
    void open() {
        store = Store.sqlite(directory.resolve("record.db"), redactor);
        store.beginSession(Samples.session("s1"));
        store.saveStory(Samples.story("042", 1, CoderState.CODING));
    }

    @AfterEach
    void close() {
        store.close();
    }

    private List<CleanText> clean(String... texts) {
        return Stream.of(texts).map(text -> CleanText.of(redactor, text)).toList();
    }

    /** The row of a message. */
    private String row(String content, List<CleanText> known) {
        scanned.clear();
        store.recordMessage(Samples.message("042", content), known);
        List<AuditLog.Message> rows = store.messages("042");
        return rows.get(rows.size() - 1).content();
    }

    private static String reply(String id, String text) {
        return MessageJson.write(List.of(new LlmContent.ToolReply(id, text, false)));
    }

    @Test
    void cleanTextsAreNotScannedOnceMore() {
        String text = "a \"long\" text,\n".repeat(100);
        String json = reply("call-1", text);
        assertThat(row(json, clean(text))).isEqualTo(json);
        assertThat(scanned).noneMatch(each -> each.contains("long"));
    }

    @Test
    void secretsBesideCleanTextsAreFound() {
        assertThat(row(reply(HALF + REST, "fine"), clean("fine"))).isEqualTo(reply("[REDACTED:github-token]", "fine"));
    }

    @Test
    void aSecretThatBecameKnownSinceIsFound() {
        List<CleanText> known = clean("the word is " + SECRET);
        rules.addSecret(SECRET);
        assertThat(row(reply("1", "the word is " + SECRET), known)).doesNotContain(SECRET);

        store.recordToolExecution(call("{\"text\":\"the word is " + SECRET + "\"}", null), known.get(0));
        store.recordToolExecution(call(null, "the word is " + SECRET), known.get(0));
        assertThat(store.toolExecutions("042").toString()).doesNotContain(SECRET);
    }

    private static AuditLog.ToolExecution call(String result, String error) {
        AuditLog.ToolExecution sample = Samples.toolExecution("042", "c1");
        return new AuditLog.ToolExecution(
                sample.sessionId(),
                sample.agentId(),
                sample.storyId(),
                sample.attempt(),
                sample.state(),
                sample.tool(),
                sample.callId(),
                null,
                sample.parameters(),
                result,
                error,
                null,
                1,
                Samples.AT);
    }

    @Test
    void theAnswerOfACallIsNotScannedOnceMore() {
        CleanText text = CleanText.of(redactor, "a long text");
        scanned.clear();
        store.recordToolExecution(call("{\"text\":\"a long text\",\"data\":{\"n\":1}}", null), text);
        store.recordToolExecution(call(null, "a long text"), text);
        assertThat(scanned).noneMatch(each -> each.contains("long"));

        store.recordToolExecution(
                call("{\"text\":\"a long text\",\"data\":{\"password\":\"Tr0ub4dor3xy\"}}", null), text);
        assertThat(store.toolExecutions("042").get(2).result())
                .contains("a long text")
                .doesNotContain("Tr0ub4dor3xy");
    }

    @Test
    void aSecretInTwoHalvesIsFoundWhereTheyAreJoined() {
        assertThat(row(reply("1", HALF + REST), clean(HALF, REST))).doesNotContain(HALF);
        assertThat(row(HALF + REST, clean(HALF, REST))).doesNotContain(HALF);
    }

    /** Even where the text between them is clean by itself. */
    @Test
    void aPrivateKeyInSeveralTextsIsFound() {
        List<LlmContent> parts = Stream.of(
                        "-----BEGIN RSA PRIVATE KEY-----", "MIIEowIBAAKCAQEA", "\n-----END RSA PRIVATE KEY-----")
                .map(text -> (LlmContent) new LlmContent.Text(text))
                .toList();
        List<CleanText> known =
                clean("-----BEGIN RSA PRIVATE KEY-----", "MIIEowIBAAKCAQEA", "\n-----END RSA PRIVATE KEY-----");
        assertThat(known).extracting(CleanText::toString).contains("MIIEowIBAAKCAQEA");
        assertThat(row(MessageJson.write(parts), known)).doesNotContain("MIIEowIBAAKCAQEA");
    }

    /** Tools choose their texts: they may be what stands between the names and the values of others. */
    @Test
    void textsLikeThePartsOfJsonHideNothing() {
        List<CleanText> known = clean(":", ",", "\":\"", "\",\"", "password", "{", "");
        assertThat(row("[{\"text\":\":\",\"password\":\"Tr0ub4dor3xy\"}]", known))
                .doesNotContain("Tr0ub4dor3xy");
        assertThat(row("[{\"text\":\"password\",\"content\":\"" + HALF + REST + "\"}]", known))
                .doesNotContain(HALF);
    }

    @Test
    void numbersAreScannedAsTheyAreWritten() {
        rules.addSecret("1234567890123.4567890");
        assertThat(row("[{\"text\":\"fine\",\"pin\":1234567890123.4567890}]", clean("fine")))
                .doesNotContain("1234567890123.4567890")
                .contains("fine");
    }

    @Test
    void aTextThatIsCleanByItselfIsASecretUnderTheNameOfOne() {
        assertThat(row("[{\"password\":\"Tr0ub4dor3xy\"}]", clean("Tr0ub4dor3xy")))
                .doesNotContain("Tr0ub4dor3xy");
    }

    @Test
    void whatAnotherRedactorHasScannedIsScanned() {
        Redactor blind = text -> text;
        CleanText unclean = CleanText.of(blind, HALF + REST);
        assertThat(row(reply("1", HALF + REST), List.of(unclean))).doesNotContain(HALF);
    }
}
