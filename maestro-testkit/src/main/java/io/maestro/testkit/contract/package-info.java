/**
 * The promises of the interfaces that others may implement, as JUnit tests. A test class extends a contract and says what is
 * to be tested; all tests of the contract are then its own:
 *
 * <pre>{@code
 * class MyExecutorTest extends ExecutorContract {
 *     @Override
 *     protected Executor executor(Path directory) {
 *         return new MyExecutor(directory);
 *     }
 * }
 * }</pre>
 */
@NullMarked
package io.maestro.testkit.contract;

import org.jspecify.annotations.NullMarked;
