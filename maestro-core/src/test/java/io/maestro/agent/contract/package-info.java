/** What holds for every agent. */
@NullMarked
package io.maestro.agent.contract;

import org.jspecify.annotations.NullMarked;
