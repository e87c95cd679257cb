import { JobRow } from '../parts/job/job-row.tsx';
import { useReply } from '../state/connection.tsx';
import { text } from '../strings/text.ts';
import styles from './imports.module.css';
import { jobsInOrder } from './job-order.ts';

/** Long work: what runs, then what waits or is paused, then what has ended. */
export function JobList() {
  const jobs = useReply('jobs', {}).data?.items;
  const words = text.imports.jobs;
  if (jobs === undefined) return null;
  return (
    <section className={styles.jobs} aria-labelledby="jobs-title">
      <div>
        <h2 id="jobs-title" className="text-16">
          {words.title}
        </h2>
        <p className="note may-break">{jobs.length === 0 ? words.empty : words.lead}</p>
      </div>
      {jobs.length > 0 && (
        <ul className="panel rounded-14 divided">
          {jobsInOrder(jobs).map((job) => (
            <li key={job.id}>
              <JobRow job={job} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
