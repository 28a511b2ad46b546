"""What every learner shares: settings, samples, certificates, and the border to scikit-learn."""
