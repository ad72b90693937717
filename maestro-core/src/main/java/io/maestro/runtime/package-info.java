/**
 * Tools at run time: the registry, and the one place where tools are executed. Homes of rules:
 *
 * <ul>
 *   <li>{@link io.maestro.runtime.ToolRuntime}: nothing runs that is not offered, valid, and allowed by every policy; each call is
 *       recorded, one that is refused too.
 *   <li>{@code PolicyGate}: what runs are exactly the arguments about which all policies have said, last and unchanged, that they may;
 *       a failure, a null and an ask without an approval are refusals.
 *   <li>{@code CanonicalPath}: a path has one spelling for policies, tools, listeners and the record. {@code CallInputs} gives it to
 *       arguments that a tool calls paths, before anything is told, recorded or decided; {@code SafeFiles} opens no other one.
 *   <li>{@code ArgumentName}: which values the name of an argument stands for, in rules and for paths.
 *   <li>{@code PersonTime}: the time that people are waited for is no time of a call, of its callers, or in the record.
 *   <li>{@code ArgumentPattern}: of a list one element is enough to deny or ask, and all are needed to allow; a pattern ends in bounded time, and one that does not decide refuses.
 *   <li>{@code ChildCalls}: what a tool calls is a call like the agent's own, bounded in depth, number and time, and none goes on when
 *       its own has ended.
 *   <li>{@link io.maestro.runtime.ToolRegistry}: what is refused to a role whatever its arguments are is neither offered nor
 *       documented to it.
 *   <li>Whoever is asked about a call in a story ({@code ToolApprovals}): the question is in the record before it is sent, an answer is
 *       used up in the record before the call runs, and is for one call with these arguments. A call is asked about once, over
 *       restarts too, and a question is withdrawn with a call that nobody makes again.
 * </ul>
 */
@NullMarked
package io.maestro.runtime;

import org.jspecify.annotations.NullMarked;
