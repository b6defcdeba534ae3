// The pages that are looked at more rarely. The browser gets them as one file,
// when the first of them is shown: one file packs better than six.
export { AccountsPage } from "../accounts/accounts_page";
export { AuditPage } from "../audit/audit_page";
export { HistoryPage } from "../history/history_page";
export { JobsPage } from "../jobs/jobs_page";
export { QueuePage } from "../queues/queue_page";
export { SystemPage } from "../system/system_page";
