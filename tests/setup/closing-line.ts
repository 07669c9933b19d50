import type { Reporter, TestModule } from 'vitest/node';

/** Ends a test run with one plain line that counts its tests: `12 passed, 0 failed, 1 skipped`. */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
    for (const module of modules) {
      let failures = 0;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'failed') failures += 1;
        else if (state === 'passed') counts.passed += 1;
        else counts.skipped += 1;
      }
      // A file that cannot be collected or set up fails without any of its tests failing.
      counts.failed += module.state() === 'failed' ? Math.max(failures, 1) : failures;
    }
    console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  }
}
