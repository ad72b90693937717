/**
 * For the tests of hosts and of tools: {@link io.maestro.testkit.ScriptedLlm}, a model that plays a script, and
 * {@link io.maestro.testkit.ToolTester}, which calls one tool as an agent would. Both need no test framework.
 */
@NullMarked
package io.maestro.testkit;

import org.jspecify.annotations.NullMarked;
