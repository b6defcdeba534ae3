// How often a job has been tried.
import type { Job } from "../messages/jobs";

// Attempts without a limit have the greatest number.
export function attemptsOf(job: Job): string {
  const most = job.maxAttempts ?? 0;
  return most >= 32767 ? `${job.attempt ?? 0}` : `${job.attempt ?? 0} of ${most}`;
}
