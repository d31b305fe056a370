package dev.holdfast.session;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Some properties of an owner, by name.
 *
 * @param properties possibly fewer than asked for, even none, although more follow
 * @param next the name to go on after, or null if this is the last page
 */
public record PropertyPage(
        List<Property> properties, @Nullable String next) {

    public Optional<String> nextPage() {
        return Optional.ofNullable(next);
    }
}
