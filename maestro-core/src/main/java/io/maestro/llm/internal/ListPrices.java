package io.maestro.llm.internal;

import io.maestro.llm.Price;
import io.maestro.llm.PriceTable;
import java.util.List;

/** List prices; {@link PriceTable#defaults()} says where they come from. */
public final class ListPrices {
    private ListPrices() {}

    /**
     * Adds all of them.
     *
     * @param table where to
     * @return the same
     */
    public static PriceTable.Builder addTo(PriceTable.Builder table) {
        anthropic(table);
        openAi(table);
        return table;
    }

    private static void anthropic(PriceTable.Builder table) {
        add(table, Price.of("10", "50", "0.25", "12.50"), "claude-fable-5-1");
        add(table, Price.of("10", "50", "1", "12.50"), "claude-fable-5");
        add(table, Price.of("4", "20", "0.20", "5"), "claude-opus-5-5");
        Price opus = Price.of("5", "25", "0.50", "6.25");
        add(table, opus, "claude-opus-5", "claude-opus-4-8", "claude-opus-4-7", "claude-opus-4-6", "claude-opus-4-5");
        add(table, Price.of("15", "75", "1.50", "18.75"), "claude-opus-4-1", "claude-opus-4", "claude-opus-4-0");
        // Reading its cache was 0.20 until 2026-10-07.
        add(table, Price.of("2", "10", "0.10", "2.50"), "claude-sonnet-5-5");
        add(table, Price.of("2", "10", "0.20", "2.50"), "claude-sonnet-5");
        Price sonnet = Price.of("3", "15", "0.30", "3.75");
        add(table, sonnet, "claude-sonnet-4-6", "claude-sonnet-4-5", "claude-sonnet-4", "claude-sonnet-4-0");
        add(table, Price.of("1", "5", "0.10", "1.25"), "claude-haiku-4-5");
    }

    /** Before GPT-6, what is written to the cache costs what any input costs. */
    private static void openAi(PriceTable.Builder table) {
        add(table, Price.of("1", "5", "0.05", "1.25"), "gpt-6.1-terra");
        add(table, Price.of("10", "50", "1", "12.50"), "gpt-6-astra");
        add(table, Price.of("2", "10", "0.20", "2.50"), "gpt-6-sol");
        add(table, Price.of("0.10", "0.50", "0.01", "0.125"), "gpt-6-luna");
        add(table, Price.of("5", "30", "0.50", "5"), "gpt-5.5");
        add(table, Price.of("2.50", "15", "0.25", "2.50"), "gpt-5.4");
        add(table, Price.of("0.75", "4.50", "0.075", "0.75"), "gpt-5.4-mini");
        add(table, Price.of("0.20", "1.25", "0.02", "0.20"), "gpt-5.4-nano");
        add(table, Price.of("1.75", "14", "0.175", "1.75"), "gpt-5.2");
        add(table, Price.of("1.25", "10", "0.125", "1.25"), "gpt-5.1", "gpt-5.1-codex", "gpt-5");
        add(table, Price.of("0.25", "2", "0.025", "0.25"), "gpt-5.1-codex-mini", "gpt-5-mini");
        add(table, Price.of("0.05", "0.40", "0.005", "0.05"), "gpt-5-nano");
        add(table, Price.of("2", "8", "0.50", "2"), "gpt-4.1", "o3");
        add(table, Price.of("0.40", "1.60", "0.10", "0.40"), "gpt-4.1-mini");
        add(table, Price.of("0.10", "0.40", "0.025", "0.10"), "gpt-4.1-nano");
        add(table, Price.of("2.50", "10", "1.25", "2.50"), "gpt-4o");
        add(table, Price.of("5", "15", "5", "5"), "gpt-4o-2024-05-13");
        add(table, Price.of("0.15", "0.60", "0.075", "0.15"), "gpt-4o-mini");
        add(table, Price.of("1.10", "4.40", "0.275", "1.10"), "o4-mini");
        add(table, Price.of("1.10", "4.40", "0.55", "1.10"), "o3-mini");
    }

    private static void add(PriceTable.Builder table, Price price, String... models) {
        List.of(models).forEach(model -> table.model(model, price));
    }
}
