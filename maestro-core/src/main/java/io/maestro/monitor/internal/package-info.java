/**
 * The page on which people watch and steer. Rules, and who enforces them: no request without the token is answered, and none that
 * another page makes ({@link io.maestro.monitor.internal.Gate}); the page gets data as JSON and shows all of it as text, so that
 * nothing that an agent wrote is markup (its script sets no markup, and the policy of its headers lets no other script run); agents
 * wait for no browser ({@link io.maestro.monitor.internal.EventStream} keeps a bounded number of events); requests of strangers cost a
 * bounded number of threads, handles and seconds ({@link io.maestro.monitor.internal.MonitorServer}).
 */
@NullMarked
package io.maestro.monitor.internal;

import org.jspecify.annotations.NullMarked;
