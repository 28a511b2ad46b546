// Weka's J48 with its defaults, on one table, trained and tested again for each line of a file.
//
//     java -cp weka.jar J48Folds.java table.arff folds.txt
//
// A line of folds.txt lists the rows to test on, counted from 0; the others train. On an empty line
// all rows train, and all are tested. For each line one is printed: errors, leaves, leaves that
// training examples reach, and the CPU seconds of building the tree (this thread's, so that neither
// reading the table nor compiling nor collecting garbage counts).

import java.io.BufferedReader;
import java.io.FileReader;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.Locale;
import weka.classifiers.trees.J48;
import weka.core.Instances;

public class J48Folds {
    public static void main(String[] arguments) throws Exception {
        Instances table = read(arguments[0]);
        try (BufferedReader folds = new BufferedReader(new FileReader(arguments[1]))) {
            for (String line = folds.readLine(); line != null; line = folds.readLine()) {
                System.out.println(result(table, tested(line, table.numInstances())));
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

    static String result(Instances table, boolean[] tested) throws Exception {
        Instances training = table, testing = table;
        if (any(tested)) {
            training = chosen(table, tested, false);
            testing = chosen(table, tested, true);
        }
        J48 tree = new J48();
        long start = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        tree.buildClassifier(training);
        long end = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        return String.format(Locale.ROOT, "%d %d %d %.6f", errors(tree, testing),
                (int) tree.measureNumLeaves(), reached(tree), (end - start) / 1e9);
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

    static int errors(J48 tree, Instances testing) throws Exception {
        int errors = 0;
        for (int i = 0; i < testing.numInstances(); i++) {
            if (tree.classifyInstance(testing.instance(i)) != testing.instance(i).classValue()) {
                errors++;
            }
        }
        return errors;
    }

    // J48 makes a branch for every category that is declared; a leaf that no example reaches is
    // printed with a weight of 0.0.
    static int reached(J48 tree) {
        int leaves = (int) tree.measureNumLeaves();
        for (String line : tree.toString().split("\n")) {
            if (line.endsWith("(0.0)")) leaves--;
        }
        return leaves;
    }
}
