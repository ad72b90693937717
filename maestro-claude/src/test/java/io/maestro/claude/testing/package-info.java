/** What tests need to run the real Claude Code CLI without the internet. Other modules' tests use it, too. */
@NullMarked
package io.maestro.claude.testing;

import org.jspecify.annotations.NullMarked;
