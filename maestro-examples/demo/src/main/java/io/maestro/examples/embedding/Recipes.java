package io.maestro.examples.embedding;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import io.maestro.CheckReport;
import io.maestro.Maestro;
import io.maestro.MaestroBuilder;
import io.maestro.MaestroRecord;
import io.maestro.agent.Agent;
import io.maestro.agent.AgentResult;
import io.maestro.agent.AgentTask;
import io.maestro.agent.Architect;
import io.maestro.agent.Limits;
import io.maestro.claude.ClaudeCodeMode;
import io.maestro.command.CommandTool;
import io.maestro.event.MaestroEvent;
import io.maestro.inbox.Inbox;
import io.maestro.inbox.InboxAnswer;
import io.maestro.inbox.InboxItem;
import io.maestro.llm.LlmClient;
import io.maestro.llm.LlmStreamListener;
import io.maestro.llm.OpenAiClient;
import io.maestro.llm.Price;
import io.maestro.llm.PriceTable;
import io.maestro.llm.Usage;
import io.maestro.mcpclient.McpSource;
import io.maestro.record.AuditLog;
import io.maestro.record.CostScope;
import io.maestro.runtime.ToolPolicy;
import io.maestro.runtime.ToolRule;
import io.maestro.secrets.SecretRedactor;
import io.maestro.story.Story;
import io.maestro.story.StoryResult;
import io.maestro.testkit.Reply;
import io.maestro.testkit.ScriptedLlm;
import io.maestro.testkit.Turn;
import io.maestro.testkit.api.ApiScript;
import io.maestro.testkit.api.StubApi;
import io.maestro.tools.Property;
import io.maestro.tools.ToolAudience;
import io.maestro.web.SearchProvider;
import io.maestro.web.WebAccess;
import java.math.BigDecimal;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/** What hosts ask for first: the README of maestro-core shows the bodies of these methods. */
public final class Recipes {
    private Recipes() {}

    /**
     * Runs a story and prints what happens.
     *
     * @param maestro the team
     * @param story what is to be done
     * @return how it ended
     */
    public static StoryResult withProgress(Maestro maestro, Story story) {
        return maestro.submit(story, event -> {
                    if (event instanceof MaestroEvent.StateChanged changed) {
                        System.out.println(changed.storyId() + " " + changed.to() + ": " + changed.reason());
                    } else if (event instanceof MaestroEvent.ToolFinished tool) {
                        System.out.println(
                                "  " + tool.tool() + " " + tool.duration().toMillis() + " ms, " + tool.summary());
                    }
                })
                .await();
    }

    /**
     * Looks at what a story needs before one is paid, and prints what was found.
     *
     * @param maestro the team
     * @return whether a story may be begun
     */
    public static boolean isReady(Maestro maestro) {
        CheckReport report = maestro.check();
        report.findings().forEach(System.out::println);
        return report.passed();
    }

    /**
     * Lets people decide on plans, budgets and merges, and the model on the rest.
     *
     * @param builder the settings so far
     * @return the builder
     */
    public static MaestroBuilder withApproval(MaestroBuilder builder) {
        return builder.people(
                people -> people.decide(Architect.Kind.PLAN_REVIEW, Architect.Kind.BUDGET_REVIEW, Architect.Kind.MERGE)
                        .fourEyes(Architect.Kind.MERGE));
    }

    /**
     * Prints what waits for people.
     *
     * @param inbox of a Maestro, or of another process with the same record
     */
    public static void printRequests(Inbox inbox) {
        for (InboxItem item : inbox.pending()) {
            System.out.println(item.id() + " " + item.kind() + " of " + item.storyId() + ", until " + item.until()
                    + ". " + item.otherwise() + "\n" + item.storyTitle() + "\n" + item.storyContent());
            item.facts().forEach((name, text) -> System.out.println("## " + name + "\n" + text));
        }
    }

    /**
     * Approves a plan after a person has changed it.
     *
     * @param inbox of a Maestro, or of another process with the same record
     * @param requestId the request
     * @param plan the whole plan
     * @return whether this was the first answer
     */
    public static boolean approveChangedPlan(Inbox inbox, String requestId, String plan) {
        Inbox.Result result =
                inbox.answer(requestId, InboxAnswer.approve("alice").withPlan(plan));
        System.out.println(result.summary());
        return result.status() == Inbox.Status.COUNTS;
    }

    /**
     * An endpoint of the host's where people, or a service in their name, decide: {@code POST /inbox/042/1/4?APPROVED} with a message
     * as the body.
     *
     * @param inbox the inbox
     * @param signedIn who sends it, as the host's own sign-in knows; empty for a stranger
     * @return serves the path {@code /inbox/}
     */
    public static HttpHandler webhook(Inbox inbox, Function<HttpExchange, Optional<String>> signedIn) {
        return exchange -> {
            Optional<String> person = signedIn.apply(exchange);
            boolean posted = exchange.getRequestMethod().equals("POST");
            if (person.isEmpty() || !posted) {
                exchange.sendResponseHeaders(posted ? 401 : 405, -1);
                exchange.close();
                return;
            }
            String requestId = exchange.getRequestURI().getPath().substring("/inbox/".length());
            String kind = String.valueOf(exchange.getRequestURI().getQuery());
            byte[] message = exchange.getRequestBody().readNBytes(InboxAnswer.MOST_CHARACTERS);
            int status = 200;
            String said;
            try {
                Inbox.Result result = inbox.answer(
                        requestId,
                        InboxAnswer.of(
                                person.get(),
                                InboxAnswer.Kind.valueOf(kind),
                                new String(message, StandardCharsets.UTF_8)));
                said = result.summary();
            } catch (IllegalArgumentException e) {
                status = 400;
                said = String.valueOf(e.getMessage());
            }
            byte[] body = said.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(status, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        };
    }

    /**
     * Writes what became of a story or a specification.
     *
     * @param maestro the team
     * @param id of either
     * @param directory where to
     */
    public static void writeReports(Maestro maestro, String id, Path directory) {
        maestro.report(id).writeHtml(directory.resolve(id + ".html"));
        maestro.report(id).writeJson(directory.resolve(id + ".json"));
    }

    /**
     * Refuses some calls of tools, and asks the architect about others.
     *
     * @param builder of a Maestro
     * @return the builder
     */
    public static MaestroBuilder withRules(MaestroBuilder builder) {
        return builder.tools(tools -> tools.policy(ToolPolicy.byRules(List.of(
                ToolRule.of("shell")
                        .argument("cmd", "^git (status|log|diff)[\\w ./-]*$")
                        .allow(),
                ToolRule.of("shell").argument("cmd", "\\bgit\\b").deny("Maestro commits and pushes"),
                ToolRule.of("write_file", "edit_file")
                        .argumentGlob("path", "**/*.sql")
                        .ask("It changes the database.")))));
    }

    /**
     * A model that also shows what it writes, piece by piece.
     *
     * @param builder of a Maestro
     * @param model who is asked
     * @param screen where the text is shown; called on the agents' threads
     * @return the builder
     */
    public static MaestroBuilder showingText(MaestroBuilder builder, LlmClient model, LlmStreamListener screen) {
        return builder.coderModel(screen.attachedTo(model));
    }

    /** Lets agents read some of the web, and search it. */
    public static MaestroBuilder withTheWeb(MaestroBuilder builder, SearchProvider provider) {
        return builder.web(web -> web.fetch(WebAccess.builder()
                        .allow("docs.oracle.com", "*.apache.org")
                        .deny("issues.apache.org")
                        .build()))
                .web(web -> web.search(provider));
    }

    /**
     * A model behind a gateway whose tokens expire.
     *
     * @param gateway where it is
     * @param token gives one that is valid
     * @return a client of the model
     */
    public static LlmClient throughGateway(URI gateway, Supplier<String> token) {
        return OpenAiClient.builder("my-model")
                .baseUrl(gateway)
                .connection(c -> c.bearerToken(token).header("x-team", "platform"))
                .build();
    }

    /**
     * Prints what a story has cost, by attempt, agent, state and model.
     *
     * @param result how it ended
     */
    public static void printCosts(StoryResult result) {
        for (StoryResult.Cost part : result.costs()) {
            System.out.println(part.attempt() + " " + part.agentId() + " " + part.state() + " " + part.model() + ": "
                    + part.usage().totalTokens() + " tokens, "
                    + part.cost()
                            .map(dollars -> dollars.toPlainString() + " dollars")
                            .orElse("no price known"));
        }
    }

    /**
     * Two models that play a script: a story for the tests of a host, without network, key and cost.
     *
     * @param builder the settings so far
     * @return the same builder
     */
    public static MaestroBuilder withScript(MaestroBuilder builder) {
        return builder.coderModel(ScriptedLlm.builder("scripted-coder")
                        .turn(Turn.in("PLANNING").reply(Reply.toolCall("submit_plan", Map.of("plan", "Write it."))))
                        .turn(Turn.in("CODING")
                                .reply(Reply.toolCall("write_file", Map.of("path", "hello.txt", "content", "Hello\n"))))
                        .turn(Turn.in("CODING").reply(Reply.toolCall("done", Map.of("summary", "Written."))))
                        .build())
                .architectModel(ScriptedLlm.builder("scripted-architect")
                        .turn(approved("A good plan."))
                        .turn(approved("A good change."))
                        .turn(approved("Merge it."))
                        .build());
    }

    private static Turn approved(String feedback) {
        return Turn.any()
                .reply(Reply.toolCall("review_complete", Map.of("decision", "APPROVED", "feedback", feedback)));
    }

    /**
     * A story that reaches a hard limit on cost after its first request, which costs 1.20 US dollars.
     *
     * @param builder the settings so far
     * @return the same builder
     */
    public static MaestroBuilder withLimit(MaestroBuilder builder) {
        Price price = Price.of("3", "15", "0.30", "3.75");
        return withScript(builder)
                .coderModel(ScriptedLlm.builder("scripted-coder")
                        .turn(Turn.in("PLANNING")
                                .reply(Reply.toolCall("submit_plan", Map.of("plan", "Write it."))
                                        .usage(new Usage(400_000, 0, 0, 0))))
                        .build())
                .agents(agents -> agents.prices(PriceTable.builder()
                        .model("scripted-coder", price)
                        .model("scripted-architect", price)
                        .build()))
                .limits(Limits.builder()
                        .costCap(CostScope.STORY, BigDecimal.ONE)
                        .build());
    }

    /**
     * Runs the Claude Code CLI of this machine with a script in the place of its model.
     *
     * @param claude where the program is, if not on the path
     * @param directory where it works
     * @return how the task ended
     */
    public static AgentResult withClaudeAndAScript(ClaudeCodeMode.Builder claude, Path directory) {
        ApiScript script = ApiScript.calls(
                "Nothing is left to do.",
                ApiScript.call("Bash", "command", "echo Hello > hello.txt"),
                ApiScript.call("mcp__maestro__done", "summary", "Written."));
        try (StubApi api = StubApi.start(script);
                Agent agent = Maestro.agent()
                        .directory(directory)
                        .program(claude.model("sonnet")
                                .baseUrl(URI.create(api.baseUrl()))
                                .build())
                        .build()) {
            return agent.run(AgentTask.of("Write hello.txt."));
        }
    }

    /**
     * Prints what a story did, from the record alone.
     *
     * @param database {@code .maestro/maestro.db} of a project directory
     * @param storyId the story
     */
    public static void printRecord(Path database, String storyId) {
        try (MaestroRecord record = MaestroRecord.sqlite(database, SecretRedactor.withDefaults())) {
            AuditLog log = record.auditLog();
            log.transitions(storyId)
                    .forEach(step -> System.out.println(step.at() + " " + step.to() + ": " + step.reason()));
            log.toolExecutions(storyId)
                    .forEach(call -> System.out.println(call.at() + " " + call.agentId() + " " + call.tool() + " "
                            + call.parameters() + (call.error() == null ? "" : " FAILED: " + call.error())));
        }
    }

    /**
     * Borrows two tools of an MCP server, such as {@code npx -y @modelcontextprotocol/server-filesystem /srv/docs}.
     *
     * @param builder a team
     * @param command the server's program and its arguments
     * @return the same builder
     */
    public static MaestroBuilder withBorrowedTools(MaestroBuilder builder, String... command) {
        McpSource files = McpSource.stdio("files", command)
                .tools("read_text_file", "search_files")
                .offeredTo(ToolAudience.CODER_PLANNING, ToolAudience.CODER_CODING)
                .build();
        return builder.tools(tools -> tools.mcp(files));
    }

    /**
     * Makes a script of the repository a tool.
     *
     * @param builder a team
     * @return the same builder
     */
    public static MaestroBuilder withACommand(MaestroBuilder builder) {
        return builder.tool(CommandTool.builder("deploy", "./scripts/deploy.sh", "{environment}", "--tag={tag}")
                .description("Deploys the working copy")
                .argument("environment", Property.oneOf("Where to", "dev", "test"))
                .optionalArgument("tag", Property.string("A name for it; none by default"))
                .timeLimit(Duration.ofMinutes(2))
                .build());
    }
}
