package io.maestro.monitor;

import static io.maestro.testing.AssertThat.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.maestro.Submission;
import io.maestro.llm.LlmContent;
import io.maestro.story.ArchitectState;
import io.maestro.story.Spec;
import io.maestro.story.SpecResult;
import io.maestro.story.StoryResult;
import io.maestro.testing.Full;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What people see and do, in a real browser during a real run. */
@Full("starts a browser")
@Timeout(900)
class MonitorPageTest {
    private static final String THOUGHT =
            "I read the repository first. It has a README and nothing else, so that the health endpoint goes into a file of its own, with a test beside it. Then I look at how the time zones are handled.";

    @TempDir
    Path directory;

    private Path pictures() {
        return Path.of(System.getProperty(
                "maestro.pictures", directory.resolve("pictures").toString()));
    }

    @Test
    void aRunIsWatchedAndSteered() throws Exception {
        Path pictures = pictures();
        CountDownLatch seen = new CountDownLatch(1);
        try (MonitoredProject project = new MonitoredProject(directory, Duration.ofMillis(5), seen);
                Browser browser = new Browser(directory.resolve("profile"))) {
            project.model
                    .says(
                            "PLANNING",
                            new LlmContent.Text(THOUGHT),
                            new LlmContent.ToolUse(
                                    "t0", "todos_add", "{\"todos\":[\"Add the endpoint\",\"Add a test\"]}"))
                    .calls("PLANNING", "submit_plan", "plan", "1. Add `health.txt`\n2. Say OK in it")
                    .calls("CODING", "ask_question", "question", "Which status is right while the database is down?")
                    .calls("CODING", "shell", "cmd", "false")
                    .calls(
                            "CODING",
                            "shell",
                            "cmd",
                            "printf 'public class Health {\\n    // Says OK.\\n    String status = \"OK\";\\n}\\n' > Health.java")
                    .calls("CODING", "done", "summary", "wrote it");
            browser.size(1400, 900);
            browser.open(project.page);
            browser.until("document.getElementById('connection').textContent === 'live'");
            browser.until("!document.getElementById('no-stories').hidden");

            Submission<StoryResult> work =
                    project.maestro.submit(MonitoredProject.story("042", "Add a health endpoint"));
            browser.until("document.querySelector('#columns [data-story=\"042\"]')");
            browser.value("document.getElementById('tab-agents').click()");
            browser.until("document.querySelector('.written')?.textContent.includes('repository')");
            assertThat(browser.value("document.querySelector('.written').textContent")
                            .asText())
                    .as("what is written by now")
                    .isNotEqualTo(THOUGHT);
            browser.until("document.querySelector('.machine .lit text')?.textContent === 'PLANNING'");
            browser.screenshot(pictures.resolve("agents.png"));
            seen.countDown();

            browser.until("document.querySelector('.request textarea')");
            browser.value("document.getElementById('tab-board').click()");
            browser.screenshot(pictures.resolve("inbox.png"));
            browser.value("document.querySelector('.request .good').click()");
            browser.until("document.getElementById('message').textContent.includes('who you are')");
            browser.value("document.getElementById('person').value = 'alice'");
            browser.value("document.querySelector('.request textarea').value += '\\n3. Mind the time zones'");
            browser.value("document.querySelector('.request .good').click()");
            browser.until("document.querySelector('.request .k-ask')?.textContent === 'question'");
            browser.value("document.querySelector('.request label textarea').value = '503'");
            browser.value("document.querySelector('.request .good').click()");
            assertThat(work.await().outcome()).isEqualTo(StoryResult.Outcome.MERGED);

            browser.until("document.querySelector('#columns .k-done .state')");
            browser.value("document.querySelector('#columns [data-story=\"042\"]').click()");
            browser.until("document.querySelector('#details .diff .add')");
            browser.screenshot(pictures.resolve("story.png"));
            String details = browser.value("document.getElementById('details').innerText")
                    .asText();
            assertThat(details).contains("3. Mind the time zones", "status = \"OK\"", "Add the endpoint");
            assertThat(project.maestro.auditLog().effects("042").get(0).reply())
                    .contains("alice", "Mind the time zones");

            browser.value("document.getElementById('tab-calls').click()");
            browser.until("document.querySelector('#list .row')");
            int all = project.maestro.auditLog().toolExecutions("042").size();
            browser.until("document.getElementById('found').textContent === '" + all + " of " + all + " calls'");
            browser.screenshot(pictures.resolve("calls.png"));
            browser.value("document.getElementById('filters').elements.outcome.value = 'failed';"
                    + "document.getElementById('filters').dispatchEvent(new Event('input'))");
            browser.until("document.querySelectorAll('#list .row').length === 1");
            browser.value("document.querySelector('#list .row').click()");
            browser.until("document.getElementById('details').innerText.includes('exit code 1')");
            browser.value("document.querySelector('#list').focus()");
            browser.key("Escape");
            browser.until("document.getElementById('details').hidden");
            browser.scheme("dark");
            browser.value("document.getElementById('tab-board').click()");
            // As Chromium does when the machine's networks change.
            browser.value("window.fetch = (real => () => { window.fetch = real;"
                    + " return Promise.reject(new TypeError('the network changed')); })(window.fetch); 1");
            browser.value("document.querySelector('#columns [data-story=\"042\"]').click()");
            browser.until("document.querySelector('#details .diff .add')");
            browser.screenshot(pictures.resolve("dark.png"));
            browser.size(400, 800);
            browser.screenshot(pictures.resolve("narrow-details.png"));
            browser.key("Escape");
            browser.screenshot(pictures.resolve("narrow.png"));
            assertThat(browser.complaints).isEmpty();
        }
    }

    @Test
    void theArchitectIsShownAtASpecification() throws Exception {
        Path pictures = pictures();
        CountDownLatch seen = new CountDownLatch(1);
        try (MonitoredProject project = new MonitoredProject(directory, Duration.ofMillis(5), seen);
                Browser browser = new Browser(directory.resolve("profile"))) {
            project.architect.says(
                    "SCOPING", new LlmContent.Text(THOUGHT), new LlmContent.ToolUse("s0", "submit_stories", """
                            {"requirements":[{"title":"Add a health endpoint","description":"It says OK.",
                             "acceptance_criteria":["It says OK"],"dependencies":[]}]}"""));
            project.model
                    .calls("PLANNING", "submit_plan", "plan", "p")
                    .calls("CODING", "shell", "cmd", "echo OK > health.txt")
                    .calls("CODING", "done", "summary", "wrote it");
            browser.size(1400, 900);
            browser.open(project.page);
            browser.until("document.getElementById('connection').textContent === 'live'");
            browser.value("document.getElementById('tab-agents').click()");
            Submission<SpecResult> work =
                    project.maestro.submitSpec(Spec.builder("endpoints", "Endpoints for operators")
                            .content("The service says how it is.")
                            .build());
            String lit = "document.querySelector('%s .machine .lit text')?.textContent === '%s'";
            browser.until(lit.formatted(".agent", "SCOPING"));
            browser.until("document.querySelector('.written').textContent.includes('repository')");
            browser.screenshot(pictures.resolve("architect.png"));
            seen.countDown();

            browser.until("document.querySelector('.request textarea')");
            browser.value("document.getElementById('tab-board').click()");
            browser.value("document.querySelector('#specs button').click()");
            browser.until(lit.formatted("#details", "MONITORING"));
            assertThat(browser.value(
                                    "[...document.querySelectorAll('#details .machine text')].map(one => one.textContent).sort()")
                            .toString())
                    .as("each state is drawn")
                    .isEqualTo(Stream.of(ArchitectState.values())
                            .map(state -> '"' + state.name() + '"')
                            .sorted()
                            .toList()
                            .toString()
                            .replace(" ", ""));
            browser.screenshot(pictures.resolve("spec.png"));
            browser.scheme("dark");
            browser.screenshot(pictures.resolve("spec-dark.png"));
            browser.size(400, 800);
            browser.screenshot(pictures.resolve("spec-narrow.png"));
            browser.size(1400, 900);
            browser.value("document.getElementById('person').value = 'alice'");
            browser.value("document.querySelector('.request .good').click()");
            assertThat(work.await().outcome()).isEqualTo(SpecResult.Outcome.COMPLETED);
            browser.until(lit.formatted("#details", "DONE"));
            assertThat(browser.complaints).isEmpty();
        }
    }

    @Test
    void aStoryIsPausedAndCancelled() throws Exception {
        try (MonitoredProject project = new MonitoredProject(directory, Duration.ofMillis(5));
                Browser browser = new Browser(directory.resolve("profile"))) {
            project.model.calls("PLANNING", "submit_plan", "plan", "p");
            Submission<StoryResult> work = project.maestro.submit(MonitoredProject.story("042", "Add"));
            browser.open(project.page);
            browser.until("document.querySelector('.request textarea')");
            browser.value(
                    "window.confirm = () => true; document.querySelector('#columns [data-story=\"042\"]').click()");
            String button = "[...document.querySelectorAll('#details button')].find(one => one.textContent === '%s')";
            browser.until(String.format(button, "Pause"));
            browser.value(String.format(button, "Pause") + ".click()");
            browser.until("document.querySelector('#columns [data-story=\"042\"]').innerText.includes('paused')");
            browser.until(String.format(button, "Cancel"));
            browser.value(String.format(button, "Cancel") + ".click()");
            assertThat(work.await().outcome()).isEqualTo(StoryResult.Outcome.CANCELLED);
            browser.until("document.querySelector('#columns .k-fail .state')");
            browser.until("document.getElementById('inbox').hidden");
            browser.value("document.getElementById('tab-chat').click()");
            browser.value("document.getElementById('person').value = 'bob'");
            browser.value("document.getElementById('say').elements.text.value = 'What now?';"
                    + "document.getElementById('say').requestSubmit()");
            browser.until("document.getElementById('posts').innerText.includes('What now?')");
            assertThat(project.maestro.chat().last(1).get(0).author()).isEqualTo("bob");
            assertThat(browser.complaints).isEmpty();
        }
    }

    @Test
    void nothingThatAnAgentWroteIsMarkup() throws Exception {
        String[] evil = {
            "<img src=x onerror=\"window.evil=1\">",
            "<script>window.evil=1</script>",
            "</pre></script><svg onload=window.evil=1>",
            "\"><iframe srcdoc=\"<script>parent.evil=1</script>\">",
            "javascript:window.evil=1",
            "<a href=\"javascript:evil=1\">x</a>",
            "{{constructor.constructor('evil=1')()}}",
            "${window.evil=1}",
            "<style>body{display:none}</style>",
            "<base href=//evil.example/>",
            "<form action=//evil.example><button>Approve</button></form>",
            "<meta http-equiv=refresh content=0;url=//evil.example>",
            "\u202egnp.exe\u0007\u001b[31m \u3164\u26a0\ufe0f",
            "]]><x onclick=window.evil=1>",
            "&lt;img src=x onerror=window.evil=1&gt;",
            "\\u003cimg src=x onerror=window.evil=1\\u003e",
        };
        String all = String.join("\n", evil);
        try (MonitoredProject project = new MonitoredProject(directory, Duration.ofMillis(1));
                Browser browser = new Browser(directory.resolve("profile"))) {
            project.model.says(
                    "PLANNING",
                    new LlmContent.Text(all),
                    new LlmContent.ToolUse("t0", "todos_add", json("todos", evil)));
            for (String one : evil) {
                project.model.calls("PLANNING", one.substring(0, 5), one, one);
                project.model.calls("PLANNING", "shell", "cmd", "echo '" + one.replace("'", "") + "'; false");
            }
            project.model.calls("PLANNING", "chat_post", "text", all).calls("PLANNING", "submit_plan", "plan", all);
            project.model
                    .calls("CODING", "ask_question", "question", all)
                    .calls("CODING", "write_file", "path", "<img src=x onerror=evil=1>.html", "content", all)
                    .calls("CODING", "done", "summary", all);
            Submission<StoryResult> work =
                    project.maestro.submit(io.maestro.story.Story.builder("042", evil[0] + evil[3])
                            .content(all)
                            .build());
            browser.open(project.page);
            browser.value("localStorage.clear()");
            for (String kind : new String[] {"plan review", "question"}) {
                browser.until("document.querySelector('.request .k-ask')?.textContent === '" + kind + "'");
                browser.value("document.getElementById('person').value = 'alice'");
                browser.value("[...document.querySelectorAll('.request textarea')].at(-1).value = '<b>ok</b>'");
                browser.value("document.querySelector('.request .good').click()");
            }
            assertThat(work.await().outcome()).isEqualTo(StoryResult.Outcome.MERGED);
            browser.until("document.querySelector('#columns .k-done .state')");
            for (String tab : new String[] {"calls", "agents", "chat", "log", "board"}) {
                browser.value("document.getElementById('tab-" + tab + "').click()");
            }
            browser.value("document.querySelector('#columns .card').click()");
            browser.until("document.querySelector('#details .diff .add')");
            browser.value("document.querySelectorAll('#details details').forEach(one => one.open = true)");
            String details = browser.value("document.getElementById('details').textContent")
                    .asText();
            for (String one : evil) {
                String seen = one.replace("\u202e", "\\u202e")
                        .replace("\u0007", "\\u0007")
                        .replace("\u3164", "\\u3164")
                        .replace("\u001b", "\\u001b");
                assertThat(details).contains(seen);
            }
            browser.value("document.getElementById('tab-calls').click()");
            browser.until("document.querySelectorAll('#list .row').length > 10");
            int rows = browser.value("document.querySelectorAll('#list .row').length")
                    .asInt();
            for (int i = 0; i < rows; i++) {
                browser.value("document.querySelectorAll('#list .row')[" + i + "]?.click()");
                browser.until("document.querySelector('#details h3')");
            }
            JsonNode foreign =
                    browser.value("[...document.querySelectorAll('img,script,iframe,style,base,meta,form,svg,a,x')]"
                            + ".filter(one => !one.closest('.machine,.graph') && !one.src?.endsWith('/monitor.js')"
                            + " && !['filters','say'].includes(one.id) && one.parentElement !== document.head"
                            + " && one.textContent !== 'Report').map(one => one.outerHTML)");
            assertThat(foreign).isEmpty();
            assertThat(browser.value("window.evil === undefined").asBoolean()).isTrue();
            assertThat(browser.complaints).isEmpty();
        }
    }

    private static String json(String name, String[] texts) throws Exception {
        return new com.fasterxml.jackson.databind.ObjectMapper().writeValueAsString(java.util.Map.of(name, texts));
    }
}
