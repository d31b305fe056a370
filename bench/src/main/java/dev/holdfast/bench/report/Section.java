package dev.holdfast.bench.report;

import java.util.List;
import java.util.Map;

/**
 * What one part of the benchmark found.
 *
 * @param name the part's name, its key in the JSON
 * @param figures everything measured: maps, lists, text, numbers
 * @param bars what of it is held against a limit
 */
public record Section(String name, Map<String, Object> figures, List<Bar> bars) {}
