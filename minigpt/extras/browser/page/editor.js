// The editor: CodeMirror with Python, and nothing that completes what the student is to think of.

import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { python } from '@codemirror/lang-python';
import { bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from '@codemirror/language';
import { EditorState } from '@codemirror/state';
import { EditorView, drawSelection, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers } from '@codemirror/view';
import { classHighlighter } from '@lezer/highlight';

/** An editor in `parent`; `label()` names it, `onChange(text)` hears of changes, `keys` are {key, run} beyond the usual ones. */
export function makeEditor(parent, { label, onChange, keys }) {
  const extensions = () => [
    lineNumbers(), highlightActiveLine(), highlightActiveLineGutter(), drawSelection(), history(), bracketMatching(),
    indentOnInput(), indentUnit.of('    '), python(), syntaxHighlighting(classHighlighter), EditorView.lineWrapping,
    keymap.of([...keys, indentWithTab, ...defaultKeymap, ...historyKeymap]),
    EditorView.contentAttributes.of({ 'aria-label': label(), tabindex: '0', spellcheck: 'false', autocapitalize: 'off' }),
    EditorView.updateListener.of((update) => { if (update.docChanged) onChange(update.state.doc.toString()); }),
  ];
  const view = new EditorView({ parent });
  return {
    get text() { return view.state.doc.toString(); },
    /** Show another text; its history begins here. */
    show(text) { view.setState(EditorState.create({ doc: text, extensions: extensions() })); },
    focus() { view.focus(); },
    /** Show the stub of a function. */
    find(name) {
      const place = name ? view.state.doc.toString().search(new RegExp(`^(def|class) ${name.split('.')[0]}\\b`, 'm')) : -1;
      if (place >= 0) view.dispatch({ selection: { anchor: place }, effects: EditorView.scrollIntoView(place, { y: 'start', yMargin: 8 }) });
    },
    view,
  };
}
