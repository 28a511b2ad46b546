"""What every learner shares: settings, samples, certificates, and the interface to scikit-learn."""
