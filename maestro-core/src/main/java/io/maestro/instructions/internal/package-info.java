/**
 * What a repository tells agents: files such as AGENTS.md, and skills. Homes of rules:
 * {@link io.maestro.instructions.internal.RepositoryInstructions} (they are read from a commit of the target branch and from
 * nowhere else, so that what an agent writes tells nobody anything before it is merged),
 * {@link io.maestro.instructions.internal.InstructionFiles} (which files count, and how much of them) and
 * {@link io.maestro.instructions.internal.Skills} (the files of a skill are read, and never run). It must never know a workspace.
 */
@NullMarked
package io.maestro.instructions.internal;

import org.jspecify.annotations.NullMarked;
