package io.maestro.agent.spi;

import io.maestro.agent.Limits;
import io.maestro.environment.Environment;
import io.maestro.llm.LlmStreamListener;
import io.maestro.llm.Usage;
import io.maestro.story.CoderState;
import io.maestro.tools.ToolDefinition;
import io.maestro.tools.ToolResult;
import io.maestro.tools.ToolSignal;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What an agent has to do, and what the program that is the agent may use: a coder in one state of one attempt, or one that
 * works alone. Safe for use by several threads.
 */
public interface AgentContext {
    /**
     * Names the agent.
     *
     * @return for example {@code coder-001}
     */
    String agentId();

    /**
     * Its role.
     *
     * @return {@code coder} in a team
     */
    String role();

    /**
     * The story.
     *
     * @return its id; of an agent that works alone, the name of its work
     */
    String storyId();

    /**
     * Which attempt at it.
     *
     * @return from 1
     */
    int attempt();

    /**
     * What is to be done.
     *
     * @return PLANNING or CODING
     */
    CoderState state();

    /**
     * Where commands run; it has been entered for this state.
     *
     * @return the same for the whole attempt
     */
    Environment environment();

    /**
     * What it may cost.
     *
     * @return the host's limits
     */
    Limits limits();

    /**
     * The tools that the role may use in this state.
     *
     * @return the same each time
     */
    List<ToolDefinition> tools();

    /**
     * Calls one of these tools, through the one place where tools run: it is checked, recorded and freed of secrets. Blocks
     * until the tool has answered. Interrupting the calling thread cancels the tool. Nothing is run once a call has ended the
     * step, or the step is over: the answer is an error that says so.
     *
     * @param callId the model's own id of the call; unique in its session
     * @param tool the name as the model wrote it
     * @param input the arguments as the model wrote them: JSON text
     * @return the answer for the model
     * @throws io.maestro.record.StoreException when it could not be recorded
     */
    Call call(String callId, String tool, String input);

    /**
     * Refuses a call that the program's model has made and the program does not pass on to {@link #call}. It is recorded and told
     * like a call that has failed.
     *
     * @param callId the model's own id of the call
     * @param tool the name as the model wrote it
     * @param input the arguments as the model wrote them: JSON text
     * @param reason why nothing is run
     * @return the answer for the model, an error
     * @throws io.maestro.record.StoreException when it could not be recorded
     */
    default ToolResult refuse(String callId, String tool, String input, String reason) {
        return ToolResult.error(reason);
    }

    /**
     * Whether the host's policies decide on tools. Then {@link #decideOnOwnTool} must be asked before each call of one of the
     * program's own.
     *
     * @return false when all calls are allowed
     */
    default boolean decidesOnOwnTools() {
        return false;
    }

    /**
     * Whether the program may offer a tool of its own to its model.
     *
     * @param tool as in {@link #decideOnOwnTool}
     * @return false when all calls of it would be refused
     */
    default boolean offersOwnTool(String tool) {
        return true;
    }

    /**
     * Decides whether a tool of the program's own may run. Blocks while somebody is asked. A refusal is recorded. The arguments
     * {@code file_path}, {@code notebook_path} and {@code path} are paths to rules, as the model wrote them.
     *
     * @param callId the model's own id of the call
     * @param tool the name by which policies know it: the program's, two underscores and its own, as in {@code claude__Bash}
     * @param input the arguments as the model wrote them: a JSON object
     * @return empty when it may run, or the answer for the model, an error
     * @throws io.maestro.record.StoreException when a refusal could not be recorded; the tool must not run
     */
    default Optional<ToolResult> decideOnOwnTool(String callId, String tool, String input) {
        return Optional.empty();
    }

    /**
     * Tells the host's listeners that a tool of the program's own begins, one that it runs without {@link #call}. Nothing is
     * recorded: what the program says of it is in its messages.
     *
     * @param callId pairs it with {@link #ownToolFinished}
     * @param tool the program's name of it
     * @param arguments JSON text; secrets are taken out
     */
    default void ownToolStarted(String callId, String tool, String arguments) {}

    /**
     * Tells the host's listeners that a tool of the program's own has ended.
     *
     * @param callId as in {@link #ownToolStarted}
     * @param tool the program's name of it
     * @param duration how long it took
     * @param error whether it failed
     * @param answer its answer; secrets are taken out
     */
    default void ownToolFinished(String callId, String tool, Duration duration, boolean error, String answer) {}

    /**
     * Whether a tool may put another container in the place of the one that the program runs in. The program must have ended
     * before such a tool is called.
     *
     * @param tool the tool's name
     * @return false for most
     */
    boolean movesCoder(String tool);

    /**
     * What is said to the model about its role, its state and its tools: the system prompt, or what is added to the program's
     * own.
     *
     * @return Markdown
     */
    String instructions();

    /**
     * The story and, in CODING, its plan: what is said to the model first.
     *
     * @return Markdown
     */
    String assignment();

    /**
     * Fills in one of Maestro's prompts, which hosts may override.
     *
     * @param prompt its name
     * @param variables all that it has, and no other
     * @return the text
     */
    String prompt(String prompt, Map<String, ?> variables);

    /**
     * What the program's process needs to go on with the host's trace. To be asked by the thread that gives the program its task.
     *
     * @return variables of its environment, such as {@code TRACEPARENT}; empty where nothing is traced
     */
    default Map<String, String> traceVariables() {
        return Map.of();
    }

    /**
     * The program's session in which it has worked before: in an earlier step in this state, or before a restart of the host.
     *
     * @return empty when none was begun
     */
    Optional<String> session();

    /**
     * Records the program's session, before it is begun, so that it can be resumed after a restart of the host.
     *
     * @param id the program's own name of it
     */
    void session(String id);

    /**
     * Reserves what a request to a model may cost at most, against the {@linkplain Limits#costCap hard limits on cost}. To be
     * called before each request, after {@link #exceeded}.
     *
     * @param model the model that is asked
     * @param inputTokens how many tokens it reads at most
     * @param outputTokens how many tokens it writes at most
     * @return the request, which may be sent, and must be ended
     * @throws io.maestro.error.RetriableException when a hard limit is reached only with requests that are under way
     * @throws io.maestro.error.MaestroException when it must not be sent: a hard limit is reached, or the cost is limited and the
     *     model has no price
     */
    ModelRequest reserve(String model, long inputTokens, long outputTokens);

    /** A request to a model that may be sent. One that is not ended counts with what it may cost at most. */
    interface ModelRequest {
        /**
         * Ends it: counts what the model has used, and records it.
         *
         * @param model the model that has answered, by its vendor's name
         * @param usage the tokens of the answer
         * @throws io.maestro.error.MaestroException when the cost is limited and the model has no price; it is counted then
         */
        void used(String model, Usage usage);

        /**
         * Ends it without a whole answer, where the model may have worked all the same. It counts and is recorded like one that
         * was {@linkplain #used used}, but does not show that the model works: the clock of an outage goes on.
         *
         * @param model the model that was asked
         * @param most the tokens that it may have used at most
         * @throws io.maestro.error.MaestroException when the cost is limited and the model has no price; it is counted then
         */
        void unanswered(String model, Usage most);

        /**
         * Ends it without an answer.
         *
         * @param mayBeCharged false when it is known that it was not answered
         */
        void failed(boolean mayBeCharged);
    }

    /**
     * Counts what a model has used by requests that were not {@linkplain #reserve reserved}, and records it.
     *
     * @param model by its vendor's name
     * @param usage the tokens of one answer
     * @throws io.maestro.error.MaestroException when the cost is limited and the model has no price; it is counted then
     */
    void used(String model, Usage usage);

    /**
     * Whether the story must stop because of what it has used. To be asked before each request to a model. When the story's time
     * is used up, the thread that runs the program is interrupted as well, {@linkplain #call calls} are stopped, and those
     * after it answered as not run.
     *
     * @return which budget is used up; empty while none is
     */
    Optional<String> exceeded();

    /**
     * Who is told the text of the model while it is written, as far as the program can tell.
     *
     * @return safe for use by one thread at a time; by default nobody is told
     */
    default LlmStreamListener stream() {
        return LlmStreamListener.NONE;
    }

    /**
     * Records what was said, for people who read the record.
     *
     * @param role {@code system}, {@code user}, {@code assistant}, or {@code note} for what the program has met
     * @param content a JSON array of content blocks in the form of the Anthropic Messages API
     */
    void record(String role, String content);

    /**
     * The same, unless the record of this state in this attempt has it already: for a program that tells its model all of a
     * conversation again with each request.
     *
     * @param role as above
     * @param content as above
     * @throws io.maestro.error.MaestroException when the record of this state has more than any real conversation
     */
    default void recordOnce(String role, String content) {
        record(role, content);
    }

    /**
     * What the model has not read yet of the team's chat; what was given counts as read.
     *
     * @return empty when there is nothing new
     */
    Optional<String> unread();

    /**
     * What became of a call.
     *
     * @param result the answer for the model
     * @param ends the signal, when the call was accepted and the step is over with it
     */
    record Call(ToolResult result, Optional<ToolSignal> ends) {}
}
