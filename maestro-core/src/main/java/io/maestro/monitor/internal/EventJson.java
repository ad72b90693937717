package io.maestro.monitor.internal;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.maestro.event.MaestroEvent;

/** What a page is told of an event; it reads the rest from the record. */
final class EventJson {
    private EventJson() {}

    /** On one line. */
    static String of(MaestroEvent event) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("type", event.getClass().getSimpleName());
        json.put("story", event.storyId());
        json.put("agent", event.agentId());
        json.put("at", event.at().toEpochMilli());
        if (event instanceof MaestroEvent.StateChanged changed) {
            json.put("attempt", changed.attempt());
            json.put("state", changed.to().name());
            json.put("text", changed.from() + " → " + changed.to() + ": " + changed.reason());
        } else if (event instanceof MaestroEvent.SpecStateChanged changed) {
            json.put("state", changed.to().name());
            json.put("text", changed.from() + " → " + changed.to() + ": " + changed.reason());
        } else if (event instanceof MaestroEvent.ToolStarted started) {
            call(json, started.attempt(), started.state(), started.tool(), started.callId());
            json.put("brief", started.arguments());
        } else if (event instanceof MaestroEvent.ToolProgressed progress) {
            call(json, progress.attempt(), progress.state(), progress.tool(), progress.callId());
            json.put("text", progress.step());
        } else if (event instanceof MaestroEvent.ToolFinished finished) {
            call(json, finished.attempt(), finished.state(), finished.tool(), finished.callId());
            json.put("ms", finished.duration().toMillis());
            Integer exitCode = finished.exitCode();
            json.put("failed", finished.error() || exitCode != null && exitCode != 0);
            json.put("text", finished.summary());
        } else if (event instanceof MaestroEvent.TextWritten written) {
            json.put("attempt", written.attempt());
            json.put("state", written.state());
            json.put("begins", written.begins());
            json.put("text", written.text());
        } else if (event instanceof MaestroEvent.ModelCalled called) {
            json.put("model", called.model());
        } else if (event instanceof MaestroEvent.ModelAnswered answered) {
            json.put("model", answered.model());
            json.put("tokens", answered.usage().totalTokens());
            json.put("ms", answered.duration().toMillis());
        } else if (event instanceof MaestroEvent.RequestOpened opened) {
            json.put("id", opened.requestId());
            json.put("text", "asks: " + opened.kind());
        } else if (event instanceof MaestroEvent.ArchitectReplied replied) {
            json.put("id", replied.requestId());
            json.put("text", replied.kind() + ": " + replied.decision() + " " + replied.message());
        } else if (event instanceof MaestroEvent.ChatPosted posted) {
            json.put("number", posted.number());
            json.put("text", posted.text());
        } else if (event instanceof MaestroEvent.StorySubmitted submitted) {
            json.put("text", "submitted: " + submitted.title());
        } else if (event instanceof MaestroEvent.StoryRequeued requeued) {
            json.put("text", "tried again, attempt " + requeued.attempt());
        } else if (event instanceof MaestroEvent.StoryGivenUp givenUp) {
            json.put("text", "given up: " + givenUp.reason());
        } else if (event instanceof MaestroEvent.DependencyUnknown unknown) {
            json.put("text", "waits for story " + unknown.dependency() + ", which nobody has submitted");
        } else if (event instanceof MaestroEvent.MergeQueued queued) {
            json.put("text", "is number " + queued.place() + " in the queue into " + queued.target());
        }
        return json.toString();
    }

    private static void call(ObjectNode json, int attempt, String state, String tool, String id) {
        json.put("attempt", attempt).put("state", state).put("tool", tool).put("id", id);
    }
}
