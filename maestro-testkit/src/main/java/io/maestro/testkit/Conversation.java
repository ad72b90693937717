package io.maestro.testkit;

import io.maestro.llm.LlmContent;
import io.maestro.llm.LlmMessage;
import io.maestro.llm.LlmRequest;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** What a script looks at in a conversation. */
final class Conversation {
    private static final int SHOWN_CHARACTERS = 500;

    private Conversation() {}

    /** All that the last user message says, results of tools included. */
    static String lastUserText(LlmRequest request) {
        List<LlmMessage> messages = request.messages();
        for (int i = messages.size() - 1; i >= 0; i--) {
            if (messages.get(i).role() == LlmMessage.Role.USER) {
                return messages.get(i).content().stream()
                        .map(Conversation::said)
                        .collect(Collectors.joining("\n"));
            }
        }
        return "";
    }

    private static String said(LlmContent part) {
        if (part instanceof LlmContent.Text text) {
            return text.text();
        }
        return part instanceof LlmContent.ToolReply reply ? reply.text() : "";
    }

    static String shortened(String text) {
        return text.length() <= SHOWN_CHARACTERS
                ? text
                : text.substring(0, SHOWN_CHARACTERS) + "… (" + text.length() + " characters)";
    }

    /**
     * Why a real model's service would refuse the conversation: it insists on one result for each call of a tool, in the
     * user's turn that follows the call.
     */
    static Optional<String> fault(List<LlmMessage> messages) {
        if (messages.get(messages.size() - 1).role() != LlmMessage.Role.USER) {
            return Optional.of("the last message is not the user's");
        }
        Set<String> known = new HashSet<>();
        Set<String> open = new LinkedHashSet<>();
        LlmMessage.Role previous = LlmMessage.Role.USER;
        for (LlmMessage message : messages) {
            if (message.role() == LlmMessage.Role.ASSISTANT && previous == LlmMessage.Role.USER && !open.isEmpty()) {
                return Optional.of("the calls " + open + " have no result in the turn after them");
            }
            for (LlmContent part : message.content()) {
                if (part instanceof LlmContent.ToolUse use) {
                    if (!known.add(use.id())) {
                        return Optional.of("the id " + use.id() + " is used by two calls");
                    }
                    open.add(use.id());
                }
                if (part instanceof LlmContent.ToolReply reply && !open.remove(reply.toolUseId())) {
                    return Optional.of(
                            "the result for " + reply.toolUseId() + " answers no call of the turn before it");
                }
            }
            previous = message.role();
        }
        return open.isEmpty() ? Optional.empty() : Optional.of("the calls " + open + " have no result");
    }
}
