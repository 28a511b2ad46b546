// Weka's J48 or JRip with its defaults, on one table, trained and tested again for each line of a
// file.
//
//     java -cp weka.jar WekaFolds.java J48 table.arff folds.txt
//
// A line of folds.txt lists the rows to test on, counted from 0; the others train. On an empty line
// all rows train, and all are tested. For each line one is printed: errors, leaves or rules, leaves
// that training examples reach (or rules again), and the CPU seconds of building the model (this
// thread's, so that neither reading the table nor compiling nor collecting garbage counts).

import java.io.BufferedReader;
import java.io.FileReader;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.Locale;
import weka.classifiers.Classifier;
import weka.classifiers.rules.JRip;
import weka.classifiers.trees.J48;
import weka.core.Instances;

public class WekaFolds {
    public static void main(String[] arguments) throws Exception {
        Instances table = read(arguments[1]);
        try (BufferedReader folds = new BufferedReader(new FileReader(arguments[2]))) {
            for (String line = folds.readLine(); line != null; line = folds.readLine()) {
                boolean[] rows = tested(line, table.numInstances());
                System.out.println(result(arguments[0], table, rows));
            }
        }
    }

    static Instances read(String path) throws IOException {
        try (BufferedReader reader = new BufferedReader(new FileReader(path))) {
            Instances table = new Instances(reader);
            table.setClassIndex(table.numAttributes() - 1);
            return table;
        }
    }

    static boolean[] tested(String line, int rows) {
        boolean[] tested = new boolean[rows];
        for (String row : line.trim().split("\\s+")) {
            if (!row.isEmpty()) tested[Integer.parseInt(row)] = true;
        }
        return tested;
    }

    static String result(String name, Instances table, boolean[] tested) throws Exception {
        Instances training = table, testing = table;
        if (any(tested)) {
            training = chosen(table, tested, false);
            testing = chosen(table, tested, true);
        }
        Classifier model = name.equals("JRip") ? new JRip() : new J48();
        long start = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        model.buildClassifier(training);
        long end = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        return String.format(Locale.ROOT, "%d %d %d %.6f", errors(model, testing),
                size(model), reached(model), (end - start) / 1e9);
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
        return (int) ((J48) model).measureNumLeaves();
    }

    // J48 makes a branch for every category that is declared; a leaf that no example reaches is
    // printed with a weight of 0.0.
    static int reached(Classifier model) {
        int leaves = size(model);
        for (String line : model.toString().split("\n")) {
            if (line.endsWith("(0.0)")) leaves--;
        }
        return leaves;
    }
}
