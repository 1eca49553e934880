// Python, in a worker of its own: whatever the student's code does, the page goes on.

import { loadPyodide } from './vendor/pyodide/pyodide.mjs';

const HOME = '/home/pyodide/labs';

async function start() {
  const [python, packed] = await Promise.all([
    loadPyodide({ indexURL: new URL('vendor/pyodide/', import.meta.url).href }),
    fetch(new URL('python.zip', import.meta.url)).then((response) => response.arrayBuffer()),
  ]);
  python.unpackArchive(packed, 'zip', { extractDir: HOME });
  python.runPython(`import sys; sys.path.insert(0, ${JSON.stringify(HOME)})`);
  return python.pyimport('tests.grader.page_jobs').job;
}

const started = start();
started.then(() => postMessage({ ready: true }), (error) => postMessage({ dead: String(error) }));

onmessage = async ({ data: { id, name, request } }) => {
  const job = await started;
  try {
    const done = job(name, JSON.stringify(request), (told) => postMessage({ id, told: JSON.parse(told) }));
    postMessage({ id, done: JSON.parse(done) });
  } catch (error) {
    // A Python exception is ours, since the student's become reports; anything else means that the interpreter has ended.
    postMessage({ id, [error.name === 'PythonError' ? 'failed' : 'ended']: String(error.message ?? error) });
  }
};
