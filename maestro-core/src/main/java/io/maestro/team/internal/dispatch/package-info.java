/**
 * Who works on what: which stories begin when, leases, names and workspaces of coders, and the rows of stories that nobody
 * works on. Homes of rules: {@link io.maestro.team.internal.dispatch.RunningStory} (where a story stands in this process),
 * {@link io.maestro.team.internal.dispatch.LeaseKeeper} (all leases of a session),
 * {@link io.maestro.team.internal.dispatch.ServiceChecks} (what is asked before a model is paid) and
 * {@link io.maestro.team.internal.dispatch.WorkspaceMarkers} (whose work a workspace holds). It must never know what a coder does
 * in a state.
 */
@NullMarked
package io.maestro.team.internal.dispatch;

import org.jspecify.annotations.NullMarked;
