const bucketMs = 1_000;
const bucketCount = 10;
/** The second of a bucket that counts nothing; clocks may begin at 0. */
const never = Number.NEGATIVE_INFINITY;

interface Bucket {
  /** Number of the second that it counts. */
  second: number;
  attempts: number;
  failures: number;
}

/** Attempts of the last ten seconds, and how many of them failed. */
export class FailureWindow {
  private readonly buckets: Bucket[] = Array.from({ length: bucketCount }, () => ({
    second: never,
    attempts: 0,
    failures: 0,
  }));

  /** `now` in milliseconds, of a clock that never goes back. */
  record(failed: boolean, now: number): void {
    const second = Math.floor(now / bucketMs);
    const bucket = this.buckets[second % bucketCount];
    if (!bucket) return;
    if (bucket.second !== second) Object.assign(bucket, { second, attempts: 0, failures: 0 });
    bucket.attempts += 1;
    if (failed) bucket.failures += 1;
  }

  counts(now: number): { attempts: number; failures: number } {
    const oldest = Math.floor(now / bucketMs) - bucketCount;
    const counts = { attempts: 0, failures: 0 };
    for (const { second, attempts, failures } of this.buckets) {
      if (second <= oldest) continue;
      counts.attempts += attempts;
      counts.failures += failures;
    }
    return counts;
  }

  clear(): void {
    for (const bucket of this.buckets) bucket.second = never;
  }
}
