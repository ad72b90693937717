/**
 * What the tests of all modules share, and the tiers in which they run. A test belongs into the first tier that can hold it.
 *
 * <ol>
 *   <li><b>Short</b>, {@code mvn verify}: every unit and contract test, and of each suite on an engine
 *       or on the Claude Code CLI one test for each distinct way through the code. These tests have no annotation.
 *   <li><b>Full</b>, {@code mvn -Pfull verify}: also the tests that are marked {@link io.maestro.testing.Full}. They wait for
 *       long, or they try further combinations of engines, images, shells and ways through code that the short tier has tried
 *       once. Further combinations of the same test are a second method, which is marked.
 *   <li><b>Campaigns</b>, {@code mvn -Pcampaign verify -Dnumber=500 -Dseed=42}: the tests that are marked
 *       {@code @Tag("campaign")}: kills, faults, random inputs. They try as often as the number says, and
 *       {@link io.maestro.testing.Campaign} gives it to them. The other two tiers run a sample.
 * </ol>
 */
package io.maestro.testing;
