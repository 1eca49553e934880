// The page's end of Python: one job at a time, watched from outside; what spins is ended and Python starts again.

const SILENT_MS = 14_000; // longer than the watchdog inside leaves one call (tests/grader/in_page.py)
const MOST_LOST = 4; // functions of one job that may take an interpreter down with them

export class Stopped extends Error {}

export class Python {
  #worker; #job = null; #waiting = []; #nextId = 1; #timer; #isReady = false;

  constructor(onState) {
    this.onState = onState; // 'loading', 'ready', 'busy', 'restarting' or 'failed', and why
    this.#start('loading');
  }

  get isBusy() { return this.#job !== null; }

  /** Do a job; `onTold` hears of it on the way. With `latest`, one of that kind that still waits is put off for good. */
  ask(name, request, { onTold = () => {}, latest = false } = {}) {
    return new Promise((resolve, reject) => {
      const job = { id: this.#nextId++, name, request, onTold, latest, resolve, reject, lost: {}, calls: '' };
      if (latest) {
        for (const old of this.#waiting.filter((each) => each.latest && each.name === name)) old.reject(new Stopped());
        this.#waiting = this.#waiting.filter((each) => !(each.latest && each.name === name));
      }
      this.#waiting.push(job);
      this.#next();
    });
  }

  /** End what runs, and what waits for it. */
  stop() {
    const jobs = [this.#job, ...this.#waiting].filter(Boolean);
    this.#job = null;
    this.#waiting = [];
    this.#start('restarting');
    for (const job of jobs) job.reject(new Stopped());
  }

  #start(state) {
    clearTimeout(this.#timer);
    this.#worker?.terminate();
    this.#isReady = false;
    this.onState(state);
    this.#worker = new Worker(new URL('python-worker.js', import.meta.url), { type: 'module' });
    this.#worker.onmessage = ({ data }) => this.#heard(data);
    this.#worker.onerror = (event) => this.#died(event.message || 'the worker could not be loaded');
  }

  #next() {
    if (!this.#isReady || this.#job) return;
    this.#job = this.#waiting.shift() ?? null;
    this.onState(this.#job ? 'busy' : 'ready');
    if (this.#job) this.#send();
  }

  #send() {
    const { id, name, request, lost } = this.#job;
    this.#watch();
    this.#worker.postMessage({ id, name, request: { ...request, lost } });
  }

  #watch() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#lose('timed_out'), SILENT_MS);
  }

  #heard(message) {
    if (message.dead) return this.#died(message.dead);
    if (message.ready) {
      this.#isReady = true;
      if (this.#job) { this.onState('busy'); this.#send(); } else this.#next();
      return;
    }
    if (message.id !== this.#job?.id) return;
    if (message.told) {
      this.#watch();
      this.#job.calls = message.told.calls ?? this.#job.calls;
      this.#job.onTold(message.told);
    } else if (message.ended !== undefined) {
      this.#lose('process_ended', message.ended);
    } else {
      const job = this.#job;
      clearTimeout(this.#timer);
      this.#job = null;
      if (message.failed) job.reject(new Error(message.failed)); else job.resolve(message.done);
      this.#next();
    }
  }

  /** The interpreter is gone with a call. Start another and do the job again, without that function. */
  #lose(outcome, why = '') {
    const job = this.#job;
    const isKnown = job.calls && !(job.calls in job.lost) && Object.keys(job.lost).length < MOST_LOST;
    if (isKnown) job.lost[job.calls] = [outcome, SILENT_MS / 1000];
    else this.#job = null;
    this.#start('restarting');
    if (!isKnown) job.reject(new Error(why));
  }

  #died(why) {
    if (this.#isReady && this.#job) return this.#lose('process_ended', why);
    this.onState('failed', why);
  }
}
