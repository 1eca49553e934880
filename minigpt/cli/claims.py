"""`python -m minigpt claims`: measure every claim of the ledger, and write it in both languages and as JSON."""

from pathlib import Path

from minigpt.cli.arguments import Parser, new_folder
from minigpt.language import language, say


def main(argv: list[str]) -> int:
    parser = Parser(prog="python -m minigpt claims", description=say(
        en="What is said about batching, what the literature reports, what is measured here.",
        es="Lo que se dice del batching, lo que dice la literatura, lo que se mide aquí.",
    ))
    parser.add_argument("--folder", type=new_folder, default=Path("results"), help=say(
        en="where claims.md, claims.es.md and claims.json go", es="dónde van claims.md, claims.es.md y "
                                                                  "claims.json"))
    parser.add_argument("--into", type=Path, nargs="*", metavar="PAGE", help=say(
        en="pages whose markers <!-- claims:begin/end --> get the table; default labs/CLAIMS.md, and its most "
        "surprising rows in README.md; in both languages",
        es="páginas cuyas marcas <!-- claims:begin/end --> reciben la tabla; por defecto labs/CLAIMS.es.md, y sus "
        "filas más sorprendentes en README.es.md; en ambos idiomas",
    ))
    args = parser.parse_args(argv)
    from minigpt.notebook.progress import progress
    from minigpt.paths import repository_root
    from minigpt.studies.claims import beyond, ledger, production, scheduling, serving

    for page in args.into or ():
        if not ledger.has_markers(page):  # said before the minutes of measuring
            raise ValueError(say(
                en=f"{page} has no pair of markers {ledger.BEGIN} … {ledger.END}: put them where the table goes",
                es=f"{page} no tiene el par de marcas {ledger.BEGIN} … {ledger.END}: ponlas donde va la tabla",
            ))
    all_claims = (*scheduling.CLAIMS, *production.CLAIMS, *beyond.CLAIMS, *serving.CLAIMS)
    rows = ledger.ledger(progress(all_claims, say(en="claims", es="afirmaciones")))
    args.folder.mkdir(parents=True, exist_ok=True)
    for code, name in (("en", "claims.md"), ("es", "claims.es.md")):
        (args.folder / name).write_text(ledger.markdown(rows, code) + "\n", encoding="utf-8")
    (args.folder / "claims.json").write_text(ledger.as_json(rows), encoding="utf-8")
    print(ledger.markdown(rows, language()))
    root = repository_root()
    tables = {root / "labs" / "CLAIMS.md": rows, root / "README.md": ledger.most_surprising(rows)}
    tables |= {page.with_suffix(".es.md"): table for page, table in tables.items()}
    for page, table in (dict.fromkeys(args.into, rows) if args.into else tables).items():
        if ledger.put_between_markers(page, ledger.markdown(table, "es" if page.stem.endswith(".es") else "en")):
            print(say(en=f"written into {page}", es=f"escrito en {page}"))
    unclear = [row.claim.id for row in rows if row.finding.verdict == ledger.UNCLEAR]
    if unclear:
        print(say(en=f"not reproduced here: {', '.join(unclear)}", es=f"no reproducido aquí: {', '.join(unclear)}"))
    return 1 if unclear else 0
