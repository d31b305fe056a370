package dev.holdfast.server;

import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.IDefaultValueProvider;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/**
 * What an option of {@code serve} is when the command line does not say: the environment variable, then the file, then the option's own default. The file is a
 * {@code .properties} file whose keys are the options' names without dashes in front; a key that is no option is refused, because a setting
 * that silently does nothing is worse than none.
 */
final class Configuration implements IDefaultValueProvider {

    static final String FILE_OPTION = "config";

    /** The command that is configured. */
    private static final String COMMAND = "serve";

    /** Commands that talk to a server, and their options that a variable can set; a file sets none. */
    private static final Set<String> REMOTE_COMMANDS = Set.of("tail", "send");

    private static final Set<String> REMOTE_OPTIONS = Set.of("server", "key", "key-file");

    /** Options that a file cannot hold. */
    private static final Set<String> NOT_IN_A_FILE = Set.of(FILE_OPTION, "help", "version");

    private final Environment environment;
    private final Properties file;

    private Configuration(Environment environment, Properties file) {
        this.environment = environment;
        this.file = file;
    }

    /**
     * Reads the file that the command line or the environment names, if any.
     *
     * @throws ParameterException if it cannot be read, or has a key that is no option of the command
     */
    static Configuration find(CommandLine commandLine, Environment environment, String... arguments) {
        Optional<String> named = fromArguments(arguments).or(() -> environment.of(FILE_OPTION));
        if (named.isEmpty()) {
            return new Configuration(environment, new Properties());
        }
        Properties properties = read(commandLine, Path.of(named.get()));
        Set<String> known = options(commandLine);
        for (String key : new TreeSet<>(properties.stringPropertyNames())) {
            if (!known.contains(key)) {
                throw new ParameterException(
                        commandLine,
                        "The configuration file %s has the key \"%s\", which is no option. Known are: %s."
                                .formatted(named.get(), key, String.join(", ", known)));
            }
        }
        return new Configuration(environment, properties);
    }

    private static Optional<String> fromArguments(String... arguments) {
        for (int i = 0; i < arguments.length; i++) {
            if (arguments[i].startsWith("--" + FILE_OPTION + "=")) {
                return Optional.of(arguments[i].substring(FILE_OPTION.length() + 3));
            }
            if (arguments[i].equals("--" + FILE_OPTION) && i + 1 < arguments.length) {
                return Optional.of(arguments[i + 1]);
            }
        }
        return Optional.empty();
    }

    private static Properties read(CommandLine commandLine, Path path) {
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(path, StandardCharsets.UTF_8)) {
            properties.load(reader);
            return properties;
        } catch (NoSuchFileException e) {
            throw new ParameterException(commandLine, "There is no configuration file " + path + ".");
        } catch (IOException | IllegalArgumentException e) {
            throw new ParameterException(
                    commandLine, "The configuration file %s cannot be read: %s".formatted(path, e.getMessage()));
        }
    }

    private static Set<String> options(CommandLine commandLine) {
        return commandLine.getSubcommands().values().stream()
                .filter(command -> command.getCommandName().equals(COMMAND))
                .flatMap(command -> command.getCommandSpec().options().stream())
                .map(Configuration::name)
                .filter(name -> !NOT_IN_A_FILE.contains(name))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static String name(OptionSpec option) {
        String longest = option.longestName();
        return longest.startsWith("--") ? longest.substring(2) : longest;
    }

    @Override
    public @Nullable String defaultValue(ArgSpec argument) {
        if (!(argument instanceof OptionSpec option)) {
            return null;
        }
        String name = name(option);
        String command = argument.command().name();
        if (REMOTE_COMMANDS.contains(command) && REMOTE_OPTIONS.contains(name)) {
            return environment.of(name).orElse(null);
        }
        if (!command.equals(COMMAND)) {
            return null;
        }
        if (name.equals("help") || name.equals("version")) {
            return null;
        }
        return environment.of(name).orElseGet(() -> file.getProperty(name));
    }
}
