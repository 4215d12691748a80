"""Reports: what runs did, as one HTML file that works offline."""

from hopefear.reporting.report import report_html, write_pictures, write_report
from hopefear.reporting.run_record import RunRecord, read_run

__all__ = ["RunRecord", "read_run", "report_html", "write_pictures", "write_report"]
