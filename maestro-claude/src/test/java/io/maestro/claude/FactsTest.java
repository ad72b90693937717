package io.maestro.claude;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where each fact of FACTS.md is tested; a list that must not outlive the tests. */
class FactsTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            exit: normal                                    | ExitCodeTableTest#aNormalRun
            exit: 400, 403, 404, 413                        | ExitCodeTableTest#aRefusalIsASuccessWithAnError
            exit: 401, 429, 500, 529                        | ExitCodeTableTest#aFailureIsTriedAgain
            exit: ten retries                               | ExitCodeTableTest#tenRetriesAreTheDefault
            exit: no retry                                  | ExitCodeTableTest#noRetryWorksToo
            exit: retry-after                               | ExitCodeTableTest#retryAfterIsHonoured
            exit: the API never answers                     | ExitCodeTableTest#anApiThatNeverAnswersIsAskedAgain
            exit: SIGTERM                                   | ExitCodeTableTest#sigtermLeavesNoResultAndAnOrphanAndTheWholeSession
            exit: SIGINT                                    | ExitCodeTableTest#sigintEndsTheChildAndTheTurnIsNoSuccessWhateverTheExitCode
            exit: --session-id is used                      | ExitCodeTableTest#aSessionIdThatIsUsedAlreadyIsRefusedOnStderrOnly
            exit: --resume is unknown                       | ExitCodeTableTest#anUnknownSessionCannotBeResumed
            exit: nothing can be written                    | ExitCodeInContainerTest#withNothingToWriteToItSaysNothingAndCallsItASuccess
            exit: success is a result without error         | ClaudeCodeProgramTest#exitCodeZeroWithoutAResultIsNoSuccess
            MCP: order of messages, arguments, the call's id | McpFactsTest#aCallCarriesTheIdOfTheToolUseAndItsArgumentsAreNotValidated
            MCP: versions                                   | McpFactsTest#anOlderProtocolIsAccepted
            MCP: both kinds of errors                       | McpFactsTest#bothKindsOfErrorsAreErrorsOfTheTool
            MCP: a dead server                              | McpFactsTest#aDeadServerIsNotFatal
            MCP: a slow server                              | McpFactsTest#withoutWaitingTheFirstTurnBeginsWithoutTheTools
            MCP: alwaysLoad                                 | McpFactsTest#aServerThatIsAlwaysToBeLoadedIsWaitedFor
            MCP: parallel only when read-only               | McpFactsTest#onlyReadOnlyToolsAreCalledInParallel
            MCP: stdio is stopped and started again         | McpFactsTest#aServerThatDiesIsStartedAgainOnTheNextCallAndStoppedByAnInterrupt
            MCP: HTTP, JSON answers, variables in headers   | ClaudeCodeMcpTest#overHttp
            MCP: HTTP, answers as a stream                  | ClaudeCodeMcpTest#aCallThatTakesLongIsMadeOnceOverHttp
            MCP: HTTP, progress keeps a long call alive     | story.LocalClaudeStoryTest#aQuestionOverHttpWaitsLongerThanTheCliWaitsForPlainAnswers
            MCP: long calls, 60 s, 300 s and 330 s          | AnswerTimesTest#onlyASilentServerIsGivenUp
            MCP: the old kind of SSE                        | McpFactsTest#aServerOfTheOldKindIsUnderstood
            MCP: 127.0.0.1 of the host                      | ClaudeCodeInContainerTest#theHostsLoopbackAddressIsNotReachedFromAContainer
            MCP: stdio                                      | ClaudeCodeMcpTest#byAProxy
            MCP: the control channel                        | ClaudeCodeMcpTest#overTheControlChannel
            MCP: MCP_TOOL_TIMEOUT                           | ClaudeCodeMcpTest#aCallThatTheCliGivesUpIsCancelled
            control: interrupt, a second message            | ControlChannelFactsTest#anInterruptEndsTheTurnAndTheProcessGoesOn
            control: end_session                            | ControlChannelFactsTest#endSessionEndsTheProcess
            control: initialize, mcp_message                | ControlChannelFactsTest#theToolsOfTheHostAreCalledOverTheChannel
            control: other requests                         | ControlChannelFactsTest#otherRequestsAreAnswered
            control: mcp_reconnect                          | McpFactsTest#aServerIsStartedAnewWhenTheHostAsksForIt
            control: can_use_tool                           | ControlChannelFactsTest#theHostIsAskedForPermission
            stdout: the end of a background command         | ControlChannelFactsTest#aCommandInTheBackgroundBeginsATurnWhenItEnds
            stdout: no background command                   | ControlChannelFactsTest#nothingIsInTheBackgroundWhereThatIsForbidden
            control: said in mid-turn                       | ControlChannelFactsTest#whatIsSaidInMidTurnComesWithTheNextResultOfATool
            control: a result on stdin answers nothing      | ControlChannelFactsTest#aResultOnStdinDoesNotAnswerACall
            sessions: the file                              | SessionFactsTest#oneFileIsAllThatIsNeeded
            sessions: the same directory                    | SessionFactsTest#inAnotherDirectoryASessionIsUnknown
            sessions: a directory that is root's            | SessionFactsTest#whereAnotherUserMayNotWriteNothingIsKeptAndThatIsCalledASuccess
            sessions: a session that is root's              | SessionFactsTest#aSessionOfRootIsUnknownToAnotherUser
            sessions: a call without an answer              | SessionFactsTest#aCallWithoutAnAnswerIsNotInTheResumedConversation
            sessions: another container                     | story.ClaudeInContainersTest#aStoryWithAQuestionThatWaitsAndASwitchInTheMiddle
            sessions: kill -9                               | story.KilledClaudeTest#inContainers
            sessions: the end after a result of a tool      | ClaudeCodeTest#aToolIsCalledOverTheControlChannelAndTheRunEndsAfterIt
            sessions: the client of docker exec is not it   | ClaudeCodeInContainerTest#worksIsEndedAndGoesOn
            line: --verbose                                 | ExitCodeTableTest#streamJsonNeedsVerbose
            line: --input-format                            | CommandLineFactsTest#inputByLinesNeedsOutputByLines
            line: IS_SANDBOX                                | CommandLineFactsTest#rootMaySkipPermissionsInASandboxOnly
            line: a prompt on argv                          | ControlChannelFactsTest#nothingIsPrintedBeforeTheFirstLineAndAPromptOnArgvIsIgnored
            line: a line that is no JSON                    | ExitCodeTableTest#aLineThatIsNoJsonEndsIt
            line: 128 KiB                                   | CommandLineFactsTest#anArgumentMayNotBeLong
            line: --append-system-prompt-file               | ClaudeCodeTest#aLongSystemPromptAndALongMessageArrive
            line: --max-turns                               | ExitCodeTableTest#theLimitOfTurnsIsAnErrorOfItsOwn
            line: --max-budget-usd                          | ClaudeCodeEndingsTest#theLimitOfMoney
            line: --strict-mcp-config                       | McpFactsTest#aRepositorysOwnServersAreRunUnlessStrict
            line: hooks, --setting-sources                  | McpFactsTest#aRepositorysHooksRunUnlessItsSettingsAreLeftOut
            line: --setting-sources and CLAUDE.md           | CommandLineFactsTest#withoutTheProjectsSettingsItsInstructionsAreNotReadEither
            line: --tools, --disallowedTools                | McpFactsTest#aWholeServerCanBeTakenAway
            line: Glob and Grep                             | CommandLineFactsTest#searchingIsThereWhenItIsAskedForOnly
            """)
    void isTested(String fact, String test) throws ClassNotFoundException {
        String[] parts = test.split("#");
        assertThat(Stream.of(Class.forName("io.maestro.claude." + parts[0]).getDeclaredMethods())
                        .filter(method -> isTest(method))
                        .map(Method::getName))
                .as(fact)
                .contains(parts[1]);
    }

    private static boolean isTest(Method method) {
        return method.isAnnotationPresent(Test.class) || method.isAnnotationPresent(ParameterizedTest.class);
    }
}
