// Weka's J48, JRip or PART with its defaults, on one table, trained and tested again for each line
// of a file.
//
//     java -cp weka.jar WekaFolds.java J48 table.arff folds.txt [seconds]
//
// A line of folds.txt has a seed, of which only JRip makes use, and the rows to test on, counted
// from 0; the others train. Where there is only a seed, all rows train, and all are tested. For each
// line one is printed as soon as it is known: errors, leaves or rules, leaves that training examples
// reach (or rules again), the CPU seconds of building the model (this thread's, so that neither
// reading the table nor compiling nor collecting garbage counts), and the single tests of all rules
// (of J48: 0). When all the building together has taken as many such seconds as allowed, the
// program ends.

import java.io.BufferedReader;
import java.io.FileReader;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.Locale;
import weka.classifiers.Classifier;
import weka.classifiers.rules.JRip;
import weka.classifiers.rules.PART;
import weka.classifiers.rules.Rule;
import weka.classifiers.trees.J48;
import weka.core.Instances;

public class WekaFolds {
    static volatile boolean building = false;
    static volatile long start = 0; // CPU time of the thread when the present building began
    static volatile long spent = 0; // on what was built before

    public static void main(String[] arguments) throws Exception {
        Instances table = read(arguments[1]);
        if (arguments.length > 3) endAfter(Double.parseDouble(arguments[3]));
        try (BufferedReader folds = new BufferedReader(new FileReader(arguments[2]))) {
            for (String line = folds.readLine(); line != null; line = folds.readLine()) {
                String[] words = line.trim().split("\\s+");
                boolean[] rows = tested(words, table.numInstances());
                Classifier model = untrained(arguments[0], Long.parseLong(words[0]));
                System.out.println(result(model, table, rows));
                System.out.flush();
            }
        }
    }

    static void endAfter(double seconds) {
        long thread = Thread.currentThread().getId();
        Thread watch = new Thread(() -> {
            while (spent + (building ? cpu(thread) - start : 0) < seconds * 1e9) {
                try {
                    Thread.sleep(50);
                } catch (InterruptedException interrupted) {
                    return;
                }
            }
            Runtime.getRuntime().halt(0);
        });
        watch.setDaemon(true);
        watch.start();
    }

    static long cpu(long thread) {
        return ManagementFactory.getThreadMXBean().getThreadCpuTime(thread);
    }

    static Instances read(String path) throws IOException {
        try (BufferedReader reader = new BufferedReader(new FileReader(path))) {
            Instances table = new Instances(reader);
            table.setClassIndex(table.numAttributes() - 1);
            return table;
        }
    }

    static boolean[] tested(String[] words, int rows) {
        boolean[] tested = new boolean[rows];
        for (int i = 1; i < words.length; i++) tested[Integer.parseInt(words[i])] = true;
        return tested;
    }

    static Classifier untrained(String name, long seed) {
        if (name.equals("J48")) return new J48();
        if (name.equals("PART")) return new PART();
        JRip model = new JRip();
        model.setSeed(seed);
        return model;
    }

    static String result(Classifier model, Instances table, boolean[] tested) throws Exception {
        Instances training = table, testing = table;
        if (any(tested)) {
            training = chosen(table, tested, false);
            testing = chosen(table, tested, true);
        }
        double seconds = build(model, training);
        return String.format(Locale.ROOT, "%d %d %d %.6f %d", errors(model, testing), size(model),
                reached(model), seconds, literals(model));
    }

    static double build(Classifier model, Instances training) throws Exception {
        long thread = Thread.currentThread().getId();
        start = cpu(thread);
        building = true;
        model.buildClassifier(training);
        building = false;
        long taken = cpu(thread) - start;
        spent += taken;
        return taken / 1e9;
    }

    static boolean any(boolean[] flags) {
        for (boolean flag : flags) {
            if (flag) return true;
        }
        return false;
    }

    static Instances chosen(Instances table, boolean[] tested, boolean wanted) {
        Instances rows = new Instances(table, table.numInstances());
        for (int i = 0; i < table.numInstances(); i++) {
            if (tested[i] == wanted) rows.add(table.instance(i));
        }
        return rows;
    }

    static int errors(Classifier model, Instances testing) throws Exception {
        int errors = 0;
        for (int i = 0; i < testing.numInstances(); i++) {
            if (model.classifyInstance(testing.instance(i)) != testing.instance(i).classValue()) {
                errors++;
            }
        }
        return errors;
    }

    static int size(Classifier model) {
        if (model instanceof JRip) return ((JRip) model).getRuleset().size();
        if (model instanceof PART) return (int) ((PART) model).measureNumRules();
        return (int) ((J48) model).measureNumLeaves();
    }

    // J48 makes a branch for every category that is declared; a leaf that no example reaches is
    // printed with a weight of 0.0.
    static int reached(Classifier model) {
        int leaves = size(model);
        if (!(model instanceof J48)) return leaves;
        for (String line : model.toString().split("\n")) {
            if (line.endsWith("(0.0)")) leaves--;
        }
        return leaves;
    }

    static int literals(Classifier model) {
        if (model instanceof PART) return printed((PART) model);
        int literals = 0;
        if (model instanceof JRip) {
            for (Object rule : ((JRip) model).getRuleset().toArray()) {
                literals += (int) ((Rule) rule).size();
            }
        }
        return literals;
    }

    // PART gives its rules in print only: a line for each test, and for the default, which has none,
    // one that begins with a colon. Above them are two lines of a title, below them their number.
    static int printed(PART model) {
        String[] lines = model.toString().split("\n");
        int literals = 0;
        for (int i = 2; i < lines.length && !lines[i].startsWith("Number of Rules"); i++) {
            if (!lines[i].isEmpty() && !lines[i].startsWith(":")) literals++;
        }
        return literals;
    }
}
